/** A process with a runtime on a SQLite file, driven by messages: run by fork, see contenders.ts. */
import { errorCode } from '../../src/errors.ts';
import type { SubagentActivation } from '../../src/providers/contract.ts';
import type { OpenAgent } from '../../src/registry/top-level-handle.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { gate } from '../support/gate.ts';
import { says } from '../support/scripted-steps.ts';
import { openStage, type Stage } from './scenario.ts';

/** What a frozen agent met with when it went on: the codes of what its driver tried, in order. */
const met: string[] = [];
const thawed = gate();
const effects: string[] = [];
const roots = new Map<string, OpenAgent>();
const children = new Map<string, SubagentActivation>();
let stage: Stage | undefined;

/** Each resolves with what is sent back, or rejects with what is told by its code. */
const commands = {
  start(path: string, leaseMs: number) {
    stage = openStage(sqliteStore({ path, leaseMs }), { told: () => undefined, effect: (key) => void effects.push(key) });
  },
  async open(id: string) {
    const { runtime, composition } = must();
    roots.set(id, await runtime.openAgent({ id, label: 'root', cwd: '/project', composition }));
  },
  recover: () => must().runtime.recover(),
  async finish(id: string) {
    await roots.get(id)?.whenQuiet();
    await roots.get(id)?.close();
  },
  prompt: (id: string) => roots.get(id)?.prompt('one more'),
  /** A child that comes to a stop in its turn. Resolves when it is there. */
  async work(rootId: string, childId: string) {
    const { runtime, driver } = must();
    driver.script('frozen', [says('before'), () => thawed.pass(), tries]);
    const request = { parent: (roots.get(rootId) as OpenAgent).agent, prompt: [{ type: 'text', text: 'go' }] as const };
    const signal = new AbortController().signal;
    const id = toSessionId(childId);
    children.set(
      childId,
      await runtime.startActivation({ provider: 'spawn', label: 'frozen', childId: id, delivery: 'parent', signal, request }),
    );
    await thawed.reached;
  },
  async thaw(childId: string) {
    thawed.open();
    await children.get(childId)?.result;
  },
  met: () => ({ met, effects, faults: must().faults }),
  close: () => must().runtime.close(),
} as const;

export type Command = keyof typeof commands;

const tries = async (turn: Parameters<ReturnType<typeof says>>[0]): Promise<void> => {
  const attempt = async (what: string, work: Promise<unknown>) => met.push(`${what}: ${await outcomeOf(work)}`);
  await attempt('check', turn.check());
  await attempt('record', turn.record({ role: 'assistant', content: [{ type: 'text', text: 'written too late' }] }));
  await attempt('steering', turn.takeSteering());
  await attempt('check', turn.check());
};

process.on('message', async ({ number, command, values }: { number: number; command: Command; values: unknown[] }) => {
  try {
    const value = await (commands[command] as (...given: unknown[]) => unknown)(...values);
    process.send?.({ number, value });
  } catch (error) {
    process.send?.({ number, value: { refused: codeOf(error) } });
  }
});
process.on('disconnect', () => process.exit());

function must(): Stage {
  if (stage === undefined) throw new Error('not started');
  return stage;
}

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    return `done ${JSON.stringify(await work)}`;
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return errorCode(error) ?? String((error as Error)?.stack);
}
