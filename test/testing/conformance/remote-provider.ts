/**
 * A provider of external children that keeps its contract: each child is a "process" in a list, takes time to start and to end by
 * the clock, and does what its prompt says. With a flaw it breaks one promise.
 */
import type { CancelTimer, Clock } from '../../../src/ports/clock.ts';
import type { ResolvedSubagentStartRequest, SubagentResult, SubagentRun } from '../../../src/providers/contract.ts';
import { textOf } from '../../../src/sessions/content.ts';
import type { ProviderPrompts, ProviderSubject, ReceivedRequest } from '../../../src/testing/index.ts';

export const remoteFlaws = [
  'does not hear its signal while it starts',
  'does not hear its signal while it runs',
  'leaves a process when a start is aborted',
  'leaves a process when a start fails',
  'leaves a process behind its disposal',
  'resolves its disposal before the process has ended',
  'fails when it is disposed twice',
  'fails when it is disposed after its end',
  'never resolves its disposal',
  'uses an id twice',
  'gives an id of two lines',
  'rejects the result of a child that failed',
  'rejects the result of a child that was disposed',
  'never settles the result of a child that was disposed',
  'says a secret in a diagnostic',
  'says a secret when a start fails',
  'has a diagnostic of any length',
  'calls a failure completed',
  'calls a stopped child completed',
  'says nothing',
  'works on after its disposal',
  'ends all runs when one is disposed',
  'works in a directory of its own',
  'drops the options',
  'drops the schema',
  'starts nothing after a start that failed',
] as const;

export type RemoteFlaw = (typeof remoteFlaws)[number];

export const remotePrompts: ProviderPrompts = {
  completes: 'do it',
  runs: 'do it for ever',
  fails: 'do it badly',
  failsToStart: 'be nobody',
  submits: 'say how many',
};

export const remoteSecret = 'canary-environment';

const startMs = 20;
const workMs = 30;
const endMs = 10;

export function remoteProvider(clock: Clock, flaw?: RemoteFlaw): ProviderSubject {
  const processes = new Set<Process>();
  const received = new Map<string, ReceivedRequest>();
  const world: RemoteWorld = { clock, flaw, processes, effects: 0, isBroken: false };
  let count = 0;
  const all = flaw !== 'drops the options' && flaw !== 'drops the schema';
  return {
    provider: {
      name: 'remote',
      capabilities: { agentOptions: true, agentPreset: false, outputSchema: true, depthLimit: all },
      inheritsParentContext: false,
      async start(request) {
        const process = await startProcess(world, request);
        const id =
          flaw === 'uses an id twice' ? 'remote-1' : `remote-${++count}${flaw === 'gives an id of two lines' ? '\n' : ''}`;
        received.set(id, receivedBy(request, flaw));
        return process.run(id);
      },
    },
    countProcesses: () => processes.size,
    countEffects: () => world.effects,
    received: (childId) => received.get(childId),
  };
}

interface RemoteWorld {
  readonly clock: Clock;
  readonly flaw: RemoteFlaw | undefined;
  readonly processes: Set<Process>;
  effects: number;
  /** A start has failed. */
  isBroken: boolean;
}

function receivedBy(
  { cwd, agentOptions, outputSchema, maxDepth }: ResolvedSubagentStartRequest,
  flaw: RemoteFlaw | undefined,
): ReceivedRequest {
  return {
    cwd: flaw === 'works in a directory of its own' ? '/tmp' : cwd,
    ...(agentOptions !== undefined && flaw !== 'drops the options' && { agentOptions }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(maxDepth !== undefined && { maxDepth }),
  };
}

async function startProcess(world: RemoteWorld, request: ResolvedSubagentStartRequest): Promise<Process> {
  const { flaw, processes, clock } = world;
  const process = new Process(world, request);
  processes.add(process);
  const isStopped = await waited(
    clock,
    startMs,
    flaw === 'does not hear its signal while it starts' ? undefined : request.signal,
  );
  if (isStopped) {
    if (flaw !== 'leaves a process when a start is aborted') processes.delete(process);
    throw new Error('the start was stopped');
  }
  const isBroken = world.isBroken && flaw === 'starts nothing after a start that failed';
  if (textOf(request.prompt) !== remotePrompts.failsToStart && !isBroken) return process;
  world.isBroken = true;
  if (flaw !== 'leaves a process when a start fails') processes.delete(process);
  throw new Error(flaw === 'says a secret when a start fails' ? `no binary: ${remoteSecret}` : 'no binary');
}

class Process {
  readonly #world: RemoteWorld;
  readonly #request: ResolvedSubagentStartRequest;
  readonly #ended = Promise.withResolvers<SubagentResult>();
  readonly #gone = Promise.withResolvers<void>();
  #isStopping = false;
  #disposals = 0;
  #cancelWork: CancelTimer = () => undefined;
  #cancelEffects: CancelTimer = () => undefined;

  constructor(world: RemoteWorld, request: ResolvedSubagentStartRequest) {
    this.#world = world;
    this.#request = request;
  }

  run(id: string): SubagentRun {
    const { clock, flaw } = this.#world;
    const { signal, prompt } = this.#request;
    if (textOf(prompt) !== remotePrompts.runs) this.#cancelWork = clock.schedule(workMs, () => this.#end(this.#natural()));
    this.#work();
    if (flaw !== 'does not hear its signal while it runs') {
      if (signal.aborted && flaw !== 'does not hear its signal while it starts') this.stop();
      signal.addEventListener('abort', () => this.stop(), { once: true });
    }
    return { id, result: this.#ended.promise, dispose: () => this.#dispose() };
  }

  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#cancelWork();
    const { clock, flaw } = this.#world;
    clock.schedule(endMs, () => {
      if (flaw === 'never settles the result of a child that was disposed') this.#leave();
      else if (flaw === 'rejects the result of a child that was disposed') this.#fail(new Error('stopped'));
      else this.#end({ output: [], stopReason: flaw === 'calls a stopped child completed' ? 'completed' : 'aborted' });
    });
  }

  async #dispose(): Promise<void> {
    const { flaw, processes } = this.#world;
    const isFirst = this.#disposals++ === 0;
    if (!isFirst && flaw === 'fails when it is disposed twice') throw new Error('disposed already');
    if (!processes.has(this) && flaw === 'fails when it is disposed after its end') throw new Error('there is no process');
    if (flaw === 'ends all runs when one is disposed') for (const other of processes) other.stop();
    if (processes.has(this)) this.stop();
    if (flaw === 'never resolves its disposal') await new Promise(() => undefined);
    if (flaw !== 'resolves its disposal before the process has ended') await this.#gone.promise;
  }

  #natural(): SubagentResult {
    const { flaw } = this.#world;
    const asked = textOf(this.#request.prompt);
    const output = flaw === 'says nothing' ? [] : [{ type: 'text', text: `I have done: ${asked}` } as const];
    if (asked === remotePrompts.fails) return this.#failure(output);
    const isAsked = this.#request.outputSchema !== undefined && flaw !== 'drops the schema';
    return { output, stopReason: 'completed', ...(isAsked && { structured: { answer: 42 } }) };
  }

  #failure(output: SubagentResult['output']): SubagentResult {
    const { flaw } = this.#world;
    if (flaw === 'calls a failure completed') return { output, stopReason: 'completed' };
    const long = flaw === 'has a diagnostic of any length' ? 'x'.repeat(100_000) : '';
    const secret = flaw === 'says a secret in a diagnostic' ? `: TOKEN=${remoteSecret}` : '';
    return { output, stopReason: 'error', diagnostic: `the process ended with 1${secret}${long}` };
  }

  #end(result: SubagentResult): void {
    if (this.#world.flaw === 'rejects the result of a child that failed' && result.stopReason === 'error') {
      this.#fail(new Error('1'));
      return;
    }
    this.#ended.resolve(result);
    this.#leave();
  }

  #fail(error: Error): void {
    this.#ended.promise.catch(() => undefined);
    this.#ended.reject(error);
    this.#leave();
  }

  #leave(): void {
    const { flaw, processes } = this.#world;
    if (flaw !== 'works on after its disposal') this.#cancelEffects();
    if (flaw !== 'leaves a process behind its disposal') processes.delete(this);
    this.#gone.resolve();
  }

  /** Something that can be seen from outside, again and again. */
  #work(): void {
    this.#cancelEffects = this.#world.clock.schedule(endMs, () => {
      this.#world.effects++;
      this.#work();
    });
  }
}

/** Resolves with true when `signal` fires first. */
function waited(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(true);
  return new Promise((resolve) => {
    const cancel = clock.schedule(ms, () => resolve(false));
    const stop = () => {
      cancel();
      resolve(true);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
