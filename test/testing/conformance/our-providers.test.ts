/** Our providers keep the contract that all others are held to; so does one of real processes, in real time. */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { forkProvider } from '../../../src/providers/fork.ts';
import { spawnProvider } from '../../../src/providers/spawn.ts';
import { textOf } from '../../../src/sessions/content.ts';
import {
  type ProviderConformance,
  type ProviderSubject,
  type ReceivedRequest,
  testProvider,
} from '../../../src/testing/index.ts';
import { registerSuite, type VitestOptions } from '../../../src/testing/vitest.ts';
import { suiteFolder } from '../../sessions/temp-folder.ts';
import { counted } from '../../support/figures.ts';
import { scriptedProvider } from '../../support/scripted-provider.ts';
import { processPrompts, processProvider } from './process-provider.ts';

holds({ name: 'spawn', kind: 'local', create: () => ({ provider: spawnProvider() }) });
holds({ name: 'fork', kind: 'local', create: () => ({ provider: forkProvider() }) });

holds({
  name: 'the scripted external provider of our tests',
  kind: 'external',
  create: scripted,
  prompts: { completes: 'complete', runs: 'run', fails: 'fail', failsToStart: 'start nothing', submits: 'submit' },
});

const folder = realpathSync(suiteFolder());
mkdirSync(join(folder, 'part'));

holds(
  {
    ...{ name: 'a provider of real processes', kind: 'external', create: processProvider, prompts: processPrompts },
    ...{ cwd: folder, secrets: ['canary-process'], time: 'real', quietMs: 40, patienceMs: 20_000 },
  },
  { timeoutMs: 60_000 },
);

function holds(subject: ProviderConformance, options?: VitestOptions): void {
  registerSuite(counted(testProvider(subject)), options);
}

/** Its runs do as their prompt says, and hear their signal. */
function scripted(): ProviderSubject {
  const remote = scriptedProvider({ capabilities: { agentPreset: false } });
  return {
    provider: {
      ...remote,
      async start(request) {
        request.signal.throwIfAborted();
        const asked = textOf(request.prompt);
        if (asked === 'start nothing') remote.plan({ startError: new Error('as the prompt says') });
        if (asked === 'complete') remote.plan({ result: { output: [{ type: 'text', text: 'done' }], stopReason: 'completed' } });
        if (asked === 'submit') remote.plan({ result: { output: [], structured: { answer: 42 }, stopReason: 'completed' } });
        if (asked === 'fail') remote.plan({ result: { output: [], stopReason: 'error', diagnostic: 'as the prompt says' } });
        const run = await (remote.start as NonNullable<typeof remote.start>)(request);
        request.signal.addEventListener('abort', () =>
          remote.runs.at(remote.runs.findIndex(({ id }) => id === run.id))?.settle({ stopReason: 'aborted' }),
        );
        return run;
      },
    },
    countProcesses: () => remote.runs.filter(({ isGone }) => !isGone).length,
    received: (childId) => remote.runs.find(({ id }) => id === childId)?.request as ReceivedRequest,
  };
}
