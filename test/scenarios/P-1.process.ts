/**
 * Two thousand children one after the other, each with a transcript of 200 KB and a timer of its own, in a process that can
 * collect garbage when told. Every handle is kept, or none is. Prints what is left as JSON. Run by P-1.test.ts with `--expose-gc`.
 */
import type { AgentDriver } from '../../src/agents/driver.ts';
import { createRegistry, SubagentRuntime } from '../../src/internal.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { SubagentActivation, SubagentProvider } from '../../src/providers/contract.ts';
import { spawnProvider } from '../../src/providers/spawn.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';

const children = Number(process.argv[2]);
const keepsHandles = process.argv[3] === 'keep';
const collect = globalThis.gc as () => void;

let timers = 0;
const clock = {
  now: systemClock.now,
  schedule(delayMs: number, run: () => void) {
    timers++;
    let isSet = true;
    const end = () => {
      if (isSet) timers--;
      isSet = false;
    };
    const cancel = systemClock.schedule(delayMs, () => {
      end();
      run();
    });
    return () => {
      end();
      cancel();
    };
  },
};

/** Keeps of each child what its parent's catalog says, and no log: a retention of nothing. */
function forgetfulStore(): { store: SessionStore; logs(): Promise<number> } {
  const inner = memoryStore({ clock });
  const ids = new Set<Parameters<SessionStore['head']>[0]>();
  const store: SessionStore = Object.create(inner, {
    leaseMs: { value: inner.leaseMs },
    create: {
      value: (...given: Parameters<SessionStore['create']>) => {
        ids.add(given[0].id);
        return inner.create(...given);
      },
    },
    handBack: {
      value: async (...[id, epoch]: Parameters<SessionStore['handBack']>) => {
        const head = await inner.head(id);
        if (head?.header.origin === 'subagent') await inner.remove(id, epoch);
        else await inner.handBack(id, epoch);
      },
    },
  }) as SessionStore;
  for (const method of [
    'head',
    'read',
    'claim',
    'renew',
    'append',
    'check',
    'remove',
    'children',
    'pending',
    'roots',
    'close',
  ] as const) {
    Object.defineProperty(store, method, { value: (inner[method] as (...given: unknown[]) => unknown).bind(inner) });
  }
  return { store, logs: async () => (await Promise.all([...ids].map((id) => inner.head(id)))).filter(Boolean).length };
}

const seen: WeakRef<object>[] = [];
const cancels = new Map<string, () => void>();
const piece = 10 * 1024;

const driver: AgentDriver = {
  name: 'talker',
  async runTurn(turn) {
    if (turn.agent.depth === 0) return { stopReason: 'completed' };
    seen.push(new WeakRef(turn), new WeakRef((turn as unknown as { session: object }).session));
    if (!keepsHandles) seen.push(new WeakRef(turn.agent)); // a few words that a handle names its child with
    cancels.set(
      turn.agent.id,
      clock.schedule(3_600_000, () => undefined),
    );
    turn.signal.addEventListener('abort', () => undefined);
    for (let part = 0; part < 20; part++) {
      turn.stream({ type: 'text', text: 'thinking' });
      await turn.record({ role: 'assistant', content: [{ type: 'text', text: `${part}${turn.turnId.repeat(piece / 26)}` }] });
    }
    await turn.history();
    await turn.record({ role: 'assistant', content: [{ type: 'text', text: 'done' }] });
    return { stopReason: 'completed' };
  },
  release(agent) {
    cancels.get(agent.id)?.();
    cancels.delete(agent.id);
  },
};

const external: SubagentProvider = {
  ...{ name: 'external', capabilities: { agentOptions: true, agentPreset: false, outputSchema: false, depthLimit: true } },
  inheritsParentContext: false,
  async start() {
    const run = {
      id: `far-${seen.length}`,
      result: Promise.resolve({ output: [{ type: 'text', text: 'done' }], stopReason: 'completed' } as const),
      transcript: 'x'.repeat(200 * 1024),
      dispose: async () => undefined,
    };
    seen.push(new WeakRef(run));
    return run;
  },
};

const { store, logs } = forgetfulStore();
const registry = createRegistry({ store, clock, limits: { childrenPerAgent: 1_000_000 } });
const runtime = new SubagentRuntime(registry);
runtime.registerProvider(spawnProvider());
runtime.registerProvider(external);
let events = 0;
runtime.events$.subscribe(() => events++);
const root = await runtime.openAgent({ cwd: '/project', composition: { driver } });

const handles: SubagentActivation[] = [];
async function runChildren(count: number): Promise<void> {
  for (let nth = 0; nth < count; nth++) {
    const provider = nth % 10 === 9 ? 'external' : 'spawn';
    const delivery = nth % 2 === 0 ? 'parent' : 'caller';
    const request = { parent: root.agent, prompt: [{ type: 'text', text: 'go' } as const] };
    const child = await runtime.startActivation({
      provider,
      label: 'worker',
      delivery,
      signal: new AbortController().signal,
      request,
    });
    if (keepsHandles) handles.push(child);
    const { stopReason } = await child.result;
    if (stopReason !== 'completed') throw new Error(`a child ended as ${stopReason}`);
  }
  await root.whenQuiet();
}

async function heapBytes(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

await runChildren(50);
const before = { heap: await heapBytes(), timers };
await runChildren(children);
const after = { heap: await heapBytes(), timers };
process.stdout.write(
  JSON.stringify({
    grownBytes: after.heap - before.heap,
    timersLeft: after.timers - before.timers,
    objectsLeft: seen.filter((reference) => reference.deref() !== undefined).length,
    objectsSeen: seen.length,
    handles: handles.length,
    events,
    live: registry.capacity.live,
    residents: registry.residents.size,
    externals: registry.externals.size,
    logs: await logs(),
  }),
);
await runtime.close();
