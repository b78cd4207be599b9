/** The provider suite passes sound providers, finds what is broken in others, and says which promise it was. */
import { describe, expect, test } from 'vitest';
import { forkProvider } from '../../../src/providers/fork.ts';
import { spawnProvider } from '../../../src/providers/spawn.ts';
import { type ProviderConformance, testProvider } from '../../../src/testing/index.ts';
import { registerSuite } from '../../../src/testing/vitest.ts';
import { counted, noteFigure } from '../../support/figures.ts';
import { complaintsOf } from './complaints.ts';
import { type RemoteFlaw, remoteFlaws, remotePrompts, remoteProvider, remoteSecret } from './remote-provider.ts';

function remote(flaw?: RemoteFlaw): ProviderConformance {
  return {
    name: flaw ?? 'a sound external provider',
    kind: 'external',
    create: ({ clock }) => remoteProvider(clock, flaw),
    prompts: remotePrompts,
    secrets: [remoteSecret],
  };
}

registerSuite(counted(testProvider(remote())));

const named: Readonly<Record<RemoteFlaw, RegExp>> = {
  'does not hear its signal while it starts': /a start honours its signal/,
  'does not hear its signal while it runs': /a running child honours its signal: its result settles \(S1\.6\)/,
  'leaves a process when a start is aborted': /leaves nothing \(S1\.6\): 1 processes are left/,
  'leaves a process when a start fails': /a start that fails has cleaned up what it made before it rejects \(S7\.8\)/,
  'leaves a process behind its disposal': /dispose resolves at quiescence: the whole process tree is gone \(S7\.8\)/,
  'resolves its disposal before the process has ended': /dispose resolves at quiescence/,
  'fails when it is disposed twice': /dispose of a run is idempotent \(S1\.5\)/,
  'fails when it is disposed after its end': /a run that has ended is disposed: dispose succeeds, whatever came before \(S1\.5\)/,
  'never resolves its disposal': /dispose of a run is bounded \(P24\)/,
  'uses an id twice': /an id is never used twice \(S1\.9, P33\): remote-1, remote-1/,
  'gives an id of two lines': /the id of a run has 1 to 256 printable characters, in one line/,
  'rejects the result of a child that failed': /a result never rejects unless capture failed \(S1\.4\): that of a run that fails/,
  'rejects the result of a child that was disposed':
    /a result never rejects unless capture failed \(S1\.4\): that of a run that is disposed/,
  'never settles the result of a child that was disposed': /the result of a run that is disposed settles/,
  'says a secret in a diagnostic': /a diagnostic repeats no secret \(S5\.4, P38\): canary-environment/,
  'says a secret when a start fails': /the error of a start repeats no secret \(S5\.4, P38\): canary-environment/,
  'has a diagnostic of any length': /a diagnostic has at most 4096 bytes of UTF-8 \(S5\.4\); this one has 1000/,
  'calls a failure completed': /a failure is never completed \(P04\)/,
  'calls a stopped child completed': /a run that was disposed was aborted \(S5\.2\)/,
  'says nothing': /the output of a run is what it said last \(S5\.1\)/,
  'works on after its disposal': /no output comes after a disposal \(P05, P31\)/,
  'ends all runs when one is disposed': /a run completes whatever becomes of another \(R12\)/,
  'works in a directory of its own': /the child works in the directory that was asked for \(S1\.10, P36\)/,
  'drops the options': /the flag agentOptions is true, so agentOptions reaches the child \(S1\.7\)/,
  'drops the schema': /a child that was given a schema hands in a value that satisfies it \(S5\.3\)/,
  'starts nothing after a start that failed':
    /a start that the provider fails is an error of the library, leaves nothing, and the next one succeeds/,
};

describe('the provider suite', () => {
  test.each(remoteFlaws)('it names the promise that a provider breaks which %s', async (flaw) => {
    expect(await complaintsOf(testProvider({ ...remote(flaw), momentsMax: 6, ordersMax: 2 }))).toMatch(named[flaw]);
    noteFigure('brokenVariants', 1);
  });

  const local = (provider: ProviderConformance['create']): ProviderConformance => ({
    name: 'broken',
    kind: 'local',
    create: provider,
  });

  test.each<readonly [how: string, subject: ProviderConformance, named: RegExp]>([
    [
      'says that its children see the conversation, and gives them none',
      local(() => ({ provider: { ...spawnProvider(), capabilities: forkProvider().capabilities, inheritsParentContext: true } })),
      /the seed is the completed turns of the parent if it inherits/,
    ],
    [
      'gives its children the conversation, and does not say so',
      local(() => ({ provider: { ...forkProvider(), inheritsParentContext: false } })),
      /the seed is the completed turns of the parent if it inherits, nothing if not/,
    ],
    [
      'gives a seed with a gap',
      local(() => ({
        provider: {
          ...forkProvider(),
          prepareContinuable: async ({ parentHistory }) => ({ seed: (await parentHistory()).slice(1) }),
        },
      })),
      /a child sees its parent’s conversation exactly if the provider says so/,
    ],
    [
      'never prepares a child',
      local(() => ({ provider: { ...spawnProvider(), prepareContinuable: () => new Promise(() => undefined) } })),
      /a started child is published/,
    ],
    [
      'makes external children where local ones were announced',
      { ...remote(), kind: 'local' },
      /a provider with prepareContinuable is local, one with only start external/,
    ],
  ])('it names the promise that a local provider breaks which %s', async (_, subject, promise) => {
    expect(await complaintsOf(testProvider(subject))).toMatch(promise);
    noteFigure('brokenVariants', 1);
  });

  test('a flag that is true must show: a provider that cannot say what its children were given is told so', async () => {
    const { create, ...rest } = remote();
    const silent: ProviderConformance = {
      ...rest,
      async create(given) {
        const { received: _, ...subject } = await create(given);
        return subject;
      },
    };
    expect(await complaintsOf(testProvider(silent))).toMatch(
      /the flag agentOptions is true, so `received` says what the child was given/,
    );
  });
});
