/**
 * A process that lives through many rounds and says what they have left in it, as one line of JSON: run by process-leaks.test.ts with
 * the kind of round, how many, and a folder; needs `--expose-gc`. It calls no exit: whatever is left open keeps it alive.
 */
import { getEventListeners } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AgentDriver, createRuntime, type OpenAgent, type SubagentRuntime } from '../../src/index.ts';
import { spawnProvider } from '../../src/providers/spawn.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { unlessAborted } from '../support/gate.ts';

/** What there was more of at the end than after the first rounds. */
export interface LeftByRounds {
  readonly rounds: number;
  /** What keeps a process alive, as Node counts it: timers, sockets, files. */
  readonly handles: number;
  /** Open files of the process. 0 where the system does not tell. */
  readonly descriptors: number;
  /** Listeners on the process and on the signal that all starts share. */
  readonly listeners: number;
  /** The slope of the line through the sizes of the heap in the second half, in bytes. Until then compiled code and caches grow. */
  readonly heapBytesPerRound: number;
  /** That the runtimes reported in all rounds. */
  readonly faults: number;
}

type Round = (signal: AbortSignal) => Promise<void>;

const [kind = '', count = '', folder = ''] = process.argv.slice(2);
const collect = (globalThis as { gc?: () => void }).gc as () => void;
const warmUp = 300;
/** Sizes of the heap that are taken on the way. */
const samples = 10;

let faults = 0;

const driver: AgentDriver = {
  name: 'plain',
  async runTurn(turn) {
    const isHeld = turn.agent.label === 'held';
    if (isHeld && (await unlessAborted(new Promise(() => undefined), turn.signal))) return { stopReason: 'aborted' };
    await turn.record({ role: 'assistant', content: [{ type: 'text', text: 'done' }] });
    return { stopReason: 'completed' };
  },
};

function openRuntime(path: string) {
  const store = sqliteStore({ path, checkOnOpen: false });
  const runtime = createRuntime({ store, onFault: () => void faults++ });
  runtime.registerProvider(spawnProvider());
  return { runtime, [Symbol.asyncDispose]: () => runtime.close().then(() => store.close()) };
}

function start(runtime: SubagentRuntime, { agent: parent }: OpenAgent, signal: AbortSignal, label: string) {
  const request = { parent, prompt: [{ type: 'text', text: 'go' }] } as const;
  return runtime.startActivation({ provider: 'spawn', label, delivery: 'caller', signal, request });
}

const openRoot = (runtime: SubagentRuntime) => runtime.openAgent({ label: 'root', cwd: '/project', composition: { driver } });

await using shared = openRuntime(`${folder}/shared.db`);
const rounds: Readonly<Record<string, Round>> = {
  /** One child comes to its end, another is disposed in the middle of its turn. */
  async lives(signal) {
    const root = await openRoot(shared.runtime);
    await (await start(shared.runtime, root, signal, 'worker')).result;
    await (await start(shared.runtime, root, signal, 'held')).dispose();
    await root.close();
  },
  /** The runtime and its store come and go, with a child in its turn. */
  async runtimes(signal) {
    await using own = openRuntime(`${folder}/own.db`);
    const root = await openRoot(own.runtime);
    await start(own.runtime, root, signal, 'held');
  },
};

const { signal } = new AbortController();
const round = rounds[kind] as Round;
for (let index = 0; index < warmUp; index++) await round(signal);
const before = await measured();
const heaps = [before.heap];
const many = Number(count);
for (let index = 1; index <= many; index++) {
  await round(signal);
  if (index % (many / samples) === 0) heaps.push((await measured()).heap);
}
const after = await measured();
const left: LeftByRounds = {
  rounds: many,
  handles: after.handles - before.handles,
  descriptors: after.descriptors - before.descriptors,
  listeners: after.listeners - before.listeners,
  heapBytesPerRound: Math.round((slope(heaps.slice(samples / 2)) / many) * samples),
  faults,
};
console.log(JSON.stringify(left));

async function measured() {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  const events = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return {
    handles: process.getActiveResourcesInfo().length,
    descriptors: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
    listeners: events + getEventListeners(signal, 'abort').length,
    heap: process.memoryUsage().heapUsed,
  };
}

/** Of the line with the smallest squares through (0, first), (1, second) and so on. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const squares = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return values.reduce((sum, value, index) => sum + (index - middle) * value, 0) / squares;
}
