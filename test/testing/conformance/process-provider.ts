/** A provider whose children are real processes: a shell that does what the prompt says. For the suite in real time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { SubagentResult } from '../../../src/providers/contract.ts';
import { textOf } from '../../../src/sessions/content.ts';
import type { ProviderPrompts, ProviderSubject, ReceivedRequest } from '../../../src/testing/index.ts';

export const processPrompts: ProviderPrompts = {
  completes: 'echo done',
  runs: 'exec sleep 600',
  fails: 'echo TOKEN=canary-process >&2; exit 3',
  failsToStart: 'exit 127',
};

/** The shell says `ready` before it begins, and where it is. */
const script = 'if [ "$1" = "exit 127" ]; then exit 127; fi; echo ready; pwd; eval "$1"';

export function processProvider(): ProviderSubject {
  const living = new Set<ChildProcess>();
  const received = new Map<string, ReceivedRequest>();
  return {
    provider: {
      name: 'process',
      capabilities: { agentOptions: false, agentPreset: false, outputSchema: false, depthLimit: false },
      inheritsParentContext: false,
      async start({ cwd, prompt, signal }) {
        signal.throwIfAborted();
        const child = spawn('/bin/sh', ['-c', script, 'sh', textOf(prompt)], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
        living.add(child);
        const ended = Promise.withResolvers<SubagentResult>();
        const lines: string[] = [];
        const ready = Promise.withResolvers<void>();
        let isStopped = false;
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          lines.push(...text.split('\n').filter((line) => line !== ''));
          if (lines[0] === 'ready' && lines.length > 1) ready.resolve();
        });
        child.on('close', (code) => {
          living.delete(child);
          ready.reject(new Error(`the process ended with ${code} before it was ready`));
          const output = lines.slice(2).map((text) => ({ type: 'text', text }) as const);
          if (isStopped) ended.resolve({ output, stopReason: 'aborted' });
          else if (code === 0) ended.resolve({ output, stopReason: 'completed' });
          else ended.resolve({ output, stopReason: 'error', diagnostic: `the process ended with ${code}` });
        });
        const stop = async () => {
          isStopped = true;
          child.kill('SIGKILL');
          await ended.promise;
        };
        signal.addEventListener('abort', () => void stop(), { once: true });
        await ready.promise;
        const id = randomUUID();
        received.set(id, { cwd: lines[1] ?? '' });
        return { id, result: ended.promise, dispose: stop };
      },
    },
    countProcesses: () => living.size,
    received: (childId) => received.get(childId),
  };
}
