/**
 * S4, S1.9, P35: ids and directories as models, backends and hosts may give them. Unknown and forbidden ids get the same words, and
 * nothing is written outside the store's folder.
 */
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { isSessionId, type SessionId } from '../../src/sessions/ids.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { awkwardTexts, text } from './hostile.ts';
import { holds, patience } from './settings.ts';
import { id, many, twoTrees } from './two-trees.ts';
import { outcomeOf, refusedOrDone } from './untouched.ts';

const hello = [{ type: 'text', text: 'hello' }] as const;

/** The code and words of a refusal. */
async function words(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    return error instanceof SubagentError ? `${error.code} ${error.message}` : `escaped: ${String(error)}`;
  }
}

test('an id that nobody has gets the words of one that is somebody else’s, whatever it is (S3.1, P35, S4)', {
  ...patience(120_000),
}, async () => {
  const { world, root, folder } = await twoTrees();
  const { runtime } = world;
  const send = (target: string) => () => runtime.sendMessage(root.agent, target, hello);
  const prompt = (childId: string) => () =>
    runtime.prompt({ parentId: root.id, childId, requestId: 'r', delivery: 'steer', content: hello });
  const change = (childId: string) => () => runtime.updateQueue(childId, { kind: 'remove', messageId: 'm' as never });
  const forbidden = { send: await words(send('far')), prompt: await words(prompt('far')) };
  expect(Object.values(forbidden)).toEqual([expect.stringMatching(/^UNAUTHORIZED /), expect.stringMatching(/^UNAUTHORIZED /)]);
  const files = readdirSync(folder);
  const around = readdirSync(dirname(folder)).length;
  const { writes } = world.store;
  const property = fc.asyncProperty(id, async (sample) => {
    const given = sample.make() as string;
    if (['root', 'busy', 'leaf', 'other', 'far'].includes(given)) return;
    expect(await words(send(given))).toBe(forbidden.send);
    if (typeof given === 'string') expect(await words(prompt(given))).toBe(forbidden.prompt);
    else expect(await outcomeOf(prompt(given))).toBe('INVALID_ARGUMENT');
    expect(await words(change(given))).toMatch(/^NOT_RESUMABLE /);
    for (const isUser of [true, false]) {
      const authority = isUser ? { kind: 'user', parentSessionId: given } : { kind: 'ancestor', agent: root.agent };
      expect(await outcomeOf(() => runtime.interrupt(isUser ? 'busy' : given, authority as never))).toBe(
        isUser ? 'UNAUTHORIZED' : 'done',
      );
    }
    expect(await outcomeOf(() => runtime.drainChildren(root.agent, [given]))).toBe(
      typeof given === 'string' ? 'done' : 'INVALID_ARGUMENT',
    );
    const expected = isSessionId(given) ? 'SESSION_NOT_FOUND' : 'INVALID_ARGUMENT';
    for (const read of ['listChildren', 'listDescendants', 'readSession', 'readResult'] as const)
      expect(await outcomeOf(() => runtime[read](given)), read).toBe(expected);
    expect(runtime.getProvider(given)).toBeUndefined();
  });
  await holds(property, many * 0.7, 'fuzzedIds');
  expect(world.store.writes).toBe(writes);
  expect(readdirSync(folder)).toEqual(files);
  expect(Math.abs(readdirSync(dirname(folder)).length - around)).toBeLessThan(50); // other tests have folders there too
  expect(world.driver.turns.filter(({ turn }) => turn.signal.aborted)).toEqual([]);
  expect(await outcomeOf(send('busy'))).toBe('done');
});

describe('what names a child', () => {
  test('is a short word, or is refused before anything exists (S1.9, S4)', patience(120_000), async () => {
    const { world, root, folder } = await twoTrees();
    const files = readdirSync(folder);
    const property = fc.asyncProperty(id, async (sample) => {
      const childId = sample.make() as SessionId;
      if (childId === undefined || (typeof childId === 'string' && (await world.hasSession(childId)))) return;
      const outcome = await refusedOrDone(world, async () => {
        const child = await world.start(root.agent, { childId });
        expect(child.childId).toBe(childId);
        await child.dispose();
        await world.rest();
      });
      expect(outcome).toBe(isSessionId(childId) ? 'done' : 'INVALID_ARGUMENT');
    });
    await holds(property, many / 5, 'fuzzedIds');
    expect(readdirSync(folder)).toEqual(files);
  });

  test.each(['constructor', 'prototype', 'tostring', 'then', 'con', 'nul', '0', '-'.padStart(2, 'a'), 'x'.repeat(64)])(
    'may be the word %s: such a child lives like any other (S1.9, S6)',
    async (word) => {
      const { world, root } = await twoTrees();
      world.driver.script('odd', [says('one')], [says('two')], [waitsAt()]);
      const child = await world.start(root.agent, { label: 'odd', childId: word as SessionId });
      expect(await child.result).toMatchObject({ output: [{ text: 'one' }] });
      await world.runtime.sendMessage(root.agent, word, hello);
      await world.gone(word);
      await world.runtime.sendMessage(root.agent, word, hello);
      await world.rest();
      world.runtime.interrupt(word, { kind: 'ancestor', agent: root.agent });
      await world.gone(word);
      expect(await world.runtime.readResult(word)).toMatchObject({ output: [] });
      expect((await world.runtime.listDescendants(root.id)).map((entry) => entry.id)).toContain(word);
    },
  );

  test('is never the word that keys of people’s messages begin with, which notices of it would look like (S3.7)', async () => {
    const { world, root } = await twoTrees();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    expect(await refusedOrDone(world, () => world.start(root.agent, { childId: 'request' as SessionId }))).toBe(
      'INVALID_ARGUMENT',
    );
    for (const name of ['request', 'request:5']) {
      remote.plan({ id: name });
      expect(await outcomeOf(() => world.start(root.agent, { provider: 'remote' }))).toBe('PROVIDER_FAILED');
    }
    expect(remote.runs.map(({ isGone }) => isGone)).toEqual([true, true]);
  });
});

test('whatever a top-level agent is to be called, or where it is to work, it is opened as that or refused (S4, S1.10)', {
  ...patience(60_000),
}, async () => {
  const { world } = await twoTrees();
  const property = fc.asyncProperty(id, id, async (name, directory) => {
    const [given, cwd] = [name.make() as string, directory.make() as string];
    const outcome = await refusedOrDone(world, async () => {
      const agent = await world.openRoot({ id: given, cwd });
      expect(await world.store.inner.head(agent.id)).toMatchObject({ header: { cwd, project: cwd } });
      expect(cwd).toMatch(/^\/[^\0]*$/);
      await agent.close();
    });
    expect(outcome).toMatch(/^(done|INVALID_ARGUMENT|DUPLICATE_CHILD)$/);
  });
  await holds(property, many / 10, 'fuzzedIds');
});

test('a directory of a child is an absolute path without NUL, below the parent’s or not, or it is refused (S1.10, S4)', {
  ...patience(60_000),
}, async () => {
  const { world, root } = await twoTrees();
  const property = fc.asyncProperty(id, async (sample) => {
    const cwd = sample.make() as string;
    if (cwd === undefined) return;
    const outcome = await refusedOrDone(world, async () => {
      const child = await world.start(root.agent, { cwd });
      const head = await world.store.inner.head(child.childId as SessionId);
      expect(head?.header.cwd).toMatch(/^\/[^\0]*$/);
      expect(world.resident(child.childId).agent.cwd).toBe(head?.header.cwd);
      await child.dispose();
    });
    const isPath = typeof cwd === 'string' && cwd !== '' && !cwd.includes('\0');
    expect(outcome).toBe(isPath ? 'done' : 'INVALID_ARGUMENT');
  });
  await holds(property, many / 20, 'fuzzedIds');
  for (const [bytes, code] of [
    [4_086, 'done'],
    [4_087, 'INVALID_ARGUMENT'],
  ] as const)
    expect(await refusedOrDone(world, () => world.start(root.agent, { cwd: 'x'.repeat(bytes) }))).toBe(code);
});

test('every id of a request is taken as it is, delivered once, and told apart from every other (S3.7)', {
  ...patience(60_000),
}, async () => {
  const { world, root } = await twoTrees();
  const delivered = new Map<string, string>();
  const property = fc.asyncProperty(fc.constantFrom(...awkwardTexts), text, async (requestId, timeZone) => {
    const request = { parentId: root.id, childId: 'busy', requestId, timeZone, delivery: 'queue', content: hello } as const;
    const isSound = requestId !== '' && requestId.length <= 128 && timeZone.length <= 128;
    const outcome = await outcomeOf(async () => {
      const messageId = await world.runtime.prompt(request);
      expect(delivered.get(requestId) ?? messageId).toBe(messageId);
      delivered.set(requestId, messageId);
    });
    expect(outcome).toBe(isSound ? 'done' : 'INVALID_ARGUMENT');
  });
  await holds(property, many / 50, 'fuzzedIds');
  const inserted = await world.logOf('busy', 'inbox/inserted');
  expect(inserted.length).toBe(delivered.size + 1);
  expect(new Set(delivered.values()).size).toBe(delivered.size);
});
