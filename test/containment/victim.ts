/**
 * A process that lives with each bad actor in turn and counts what escapes to the top of it. It prints one line of JSON for
 * each: what escaped, and whether the runtime still did its work afterwards. Run by containment.test.ts.
 */
import type { AgentDriver } from '../../src/agents/driver.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import { createRuntime, type SessionStore, type SubagentProvider, type SubagentRuntime } from '../../src/index.ts';
import { forkProvider } from '../../src/providers/fork.ts';
import { spawnProvider } from '../../src/providers/spawn.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { type BadActor, badActors } from './bad-actors.ts';

const escaped: string[] = [];
process.on('unhandledRejection', (reason) => escaped.push(`unhandled rejection: ${String(reason)}`));
process.on('uncaughtException', (reason) => escaped.push(`uncaught exception: ${String(reason)}`));
process.removeAllListeners('warning');

const limits = {
  ...{ materializeMs: 40, turnStopMs: 20, appendMs: 20, disposeMs: 20, notifyMs: 20, drainMs: 60 },
};
const all = { agentOptions: true, agentPreset: true, outputSchema: true, depthLimit: true };
const text = (words: string) => [{ type: 'text', text: words } as const];
const image = [{ type: 'image', mediaType: 'image/png', data: 'AAAA' } as const];

const goodDriver: AgentDriver = {
  name: 'good',
  async runTurn(turn) {
    await turn.check();
    for (const tool of turn.tools) {
      const call = { agent: turn.agent, signal: turn.signal, callId: 'c', idempotencyKey: 'k' };
      await Promise.race([(async () => tool.execute({}, call))().catch(() => undefined), aborted(turn.signal)]);
    }
    await turn.takeSteering();
    turn.stream({ type: 'text', text: 'hm' });
    await turn.record({ role: 'assistant', content: text('done') });
    return { stopReason: 'completed' };
  },
};

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A store of which one method can be broken, and mended. */
function breakableStore(): { store: SessionStore; broken: Map<PropertyKey, () => unknown> } {
  const broken = new Map<PropertyKey, () => unknown>();
  const store = new Proxy(memoryStore({ leaseMs: 30 }), {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => broken.get(key)?.() ?? Reflect.apply(value, target, given);
    },
  });
  return { store, broken };
}

/** Waits, but not for ever: who hangs is left, and hanging is no escape. */
async function patiently(work: () => unknown): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, 150);
  await Promise.race([(async () => work())().catch(() => undefined), over.promise]);
  clearTimeout(timer);
}

async function liveWith(actor: BadActor): Promise<{ escaped: string[]; works: boolean; isClosed: boolean }> {
  const before = escaped.length;
  const { store, broken } = breakableStore();
  const runtime = createRuntime({ store, limits, onFault: actor.onFault ?? (() => undefined) });
  runtime.registerProvider(spawnProvider());
  runtime.registerProvider(forkProvider());
  runtime.registerProvider({ ...external, ...actor.provider });
  runtime.registerProvider({ ...local, ...actor.local });
  let isBroken = false;
  const root = await runtime
    .openAgent({
      cwd: () => (isBroken && actor.cwd !== undefined ? actor.cwd() : '/project'),
      composition: { driver: { ...goodDriver, ...actor.driver }, tools: [{ ...goodTool, ...actor.tool }] },
    })
    .catch(() => undefined);
  const host = await runtime.attachAgent({
    cwd: '/project',
    composition: { driver: goodDriver },
    deliver: actor.deliver ?? (() => undefined),
  });
  actor.listen?.(runtime);
  isBroken = true;
  if (actor.store !== undefined) broken.set(actor.store.method, actor.store.fail);
  if (root !== undefined) {
    await patiently(() => root.prompt('hello'));
    for (const provider of ['spawn', 'fork', 'external', 'local']) await useChild(runtime, root.agent, provider);
    await patiently(() => root.prompt(image));
  }
  for (const provider of ['spawn', 'external']) await useChild(runtime, host.agent, provider);
  await patiently(() => runtime.recover());
  broken.clear();
  isBroken = false;
  const works = await stillWorks(runtime);
  let isClosed = false;
  const closing = runtime.close().then(
    () => (isClosed = true),
    () => (isClosed = true),
  );
  const bound = setTimeout(() => undefined, 5_000);
  await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, 2_000))]);
  clearTimeout(bound);
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setImmediate(resolve));
  return { escaped: escaped.slice(before), works, isClosed };
}

async function useChild(
  runtime: SubagentRuntime,
  parent: Parameters<SubagentRuntime['eventsOf']>[0],
  provider: string,
): Promise<void> {
  const signal = new AbortController().signal;
  for (const [delivery, prompt] of [
    ['parent', text('go')],
    ['caller', image],
  ] as const) {
    await patiently(async () => {
      const child = await runtime.startActivation({ provider, label: 'worker', delivery, signal, request: { parent, prompt } });
      await patiently(() => child.result);
      await patiently(() => runtime.sendMessage(parent, child.childId, text('again')));
      await patiently(() => child.dispose());
      await patiently(() => runtime.drainChildren(parent, [child.childId]));
    });
  }
  await patiently(() => runtime.listChildren(parent.id));
  await patiently(() => runtime.listDescendants(parent.id));
  await patiently(() => runtime.waitForChildren(parent, AbortSignal.timeout(20)));
}

/** A tree of its own, on sound parts. */
async function stillWorks(runtime: SubagentRuntime): Promise<boolean> {
  try {
    const root = await runtime.openAgent({ cwd: '/project', composition: { driver: goodDriver } });
    const { signal } = new AbortController();
    const request = { parent: root.agent, prompt: text('go') };
    const child = await runtime.startActivation({ provider: 'spawn', label: 'sound', delivery: 'caller', signal, request });
    return (await child.result).stopReason === 'completed';
  } catch {
    return false; // whatever it is, it does not work
  }
}

const goodTool: AgentTool = { name: 'look', description: 'looks', inputSchema: { type: 'object' }, execute: () => 'seen' };
let runs = 0;
const external: SubagentProvider = {
  ...{ name: 'external', capabilities: all, inheritsParentContext: false },
  start: async () => ({
    id: `run-${++runs}`,
    result: Promise.resolve({ output: [], stopReason: 'completed' }),
    dispose: async () => undefined,
  }),
};
const local: SubagentProvider = {
  ...{ name: 'local', capabilities: all, inheritsParentContext: false },
  prepareContinuable: () => ({}),
};

const only = process.argv[2];
for (const actor of badActors()) {
  if (only !== undefined && actor.name !== only) continue;
  process.stdout.write(`${JSON.stringify({ name: actor.name, ...(await liveWith(actor)) })}\n`);
}
process.exit(0);
