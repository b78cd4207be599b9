/** `troupe send`: one message to an agent that has settled, and its answer. Its ancestors are brought back to pass it on. */
import {
  type AgentComposition,
  type AgentDriver,
  type SessionId,
  type SessionStore,
  type SubagentRuntime,
  textOf,
} from '../../src/index.ts';
import type { Command } from '../arguments.ts';
import { exitCodes, Failure } from '../exit.ts';
import { openFolder } from '../folder.ts';
import { createHost, type Host } from '../host.ts';
import type { Io } from '../io.ts';
import { loadModel } from '../model.ts';
import { type FoundSession, findSession } from '../sessions/find.ts';
import { printable, printableText } from '../terminal/printable.ts';

type SendCommand = Extract<Command, { name: 'send' }>;

export async function sendCommand(command: SendCommand, io: Io): Promise<number> {
  const { root } = openFolder(command.folder);
  const model = await loadModel(command.model);
  const found = await findSession(root, command.id);
  let answer: Answer;
  try {
    const workspace = openFolder(found.head.header.project);
    const host = createHost({ workspace, store: found.store, model, note: (line) => io.screen.write(`${printable(line)}\n`) });
    try {
      answer = await ask(host, found, command.text, io.stop);
    } finally {
      await host.runtime.close();
    }
  } finally {
    await found.store.close();
  }
  io.out(`${printableText(answer.text)}\n`);
  if (answer.stopReason === 'completed') return exitCodes.ok;
  throw new Failure('notCompleted', `the agent ended as ${answer.stopReason}`);
}

interface Answer {
  readonly text: string;
  readonly stopReason: string;
}

async function ask(
  { runtime, composition }: Host,
  { store, head }: FoundSession,
  text: string,
  stop: AbortSignal,
): Promise<Answer> {
  const path = await pathTo(store, head.header.id);
  const [rootId, ...below] = path;
  const target = head.header.id;
  const relay = relayDriver(composition.driver, runtime, path, text);
  const setup = { composition: { ...composition, driver: relay.driver } satisfies AgentComposition, cwd: head.header.project };
  const root = await runtime.openAgent({ ...setup, id: rootId ?? target, label: 'send', signal: stop });
  if (below.length === 0) {
    const { stopReason } = await root.ask(text, { signal: stop });
    return { text: textOf((await runtime.readResult(target)).output), stopReason };
  }
  const ended = endOf(runtime, target, stop);
  try {
    await relay.pass(root.agent, stop);
    const stopReason = await Promise.race([ended.stopReason, relay.failed]);
    await runtime.waitForChildren(root.agent, stop);
    return { text: textOf((await runtime.readResult(target)).output), stopReason };
  } finally {
    ended.release();
  }
}

/** From the top-level session down to this one. */
async function pathTo(store: SessionStore, id: SessionId): Promise<SessionId[]> {
  const path = [id];
  for (let at: SessionId | undefined = id; at !== undefined; ) {
    const head = await store.head(at);
    if (head === undefined) throw new Failure('sessionUnknown', `the session ${at} above it is gone`);
    at = head.header.parentSession;
    if (at !== undefined) {
      if (path.includes(at)) throw new Failure('databaseDamaged', `the session ${at} lies below itself`);
      path.unshift(at);
    }
  }
  return path;
}

/**
 * Only a direct parent may message an agent. So each ancestor below the top is brought back by a message of its parent, and
 * in its turn passes the words on, without a call of its model; what else wakes it (the notice of the end) it lets rest.
 */
function relayDriver(inner: AgentDriver, runtime: SubagentRuntime, path: readonly SessionId[], text: string) {
  const passed = new Set<string>();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => undefined);

  async function pass(agent: Parameters<SubagentRuntime['sendMessage']>[0], signal: AbortSignal): Promise<void> {
    const next = path[path.indexOf(agent.id) + 1];
    if (next === undefined || passed.has(agent.id)) return;
    passed.add(agent.id);
    await runtime.sendMessage(agent, next, [{ type: 'text', text }], { signal });
  }

  const driver: AgentDriver = {
    ...inner,
    async runTurn(turn) {
      const isAncestor = path.slice(0, -1).includes(turn.agent.id) && path.length > 1;
      if (!isAncestor) return inner.runTurn(turn);
      try {
        await pass(turn.agent, turn.signal);
      } catch (error) {
        reject(error);
      }
      return { stopReason: 'completed' };
    },
  };
  return { driver, pass, failed };
}

/** How the next activation of an agent ends. */
function endOf(runtime: SubagentRuntime, id: string, stop: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  promise.catch(() => undefined);
  const onStop = () => reject(stop.reason);
  stop.addEventListener('abort', onStop, { once: true });
  const subscription = runtime.events$.subscribe((event) => {
    if (event.type === 'subagent/end' && event.id === id) resolve(event.stopReason);
  });
  return {
    stopReason: promise,
    release() {
      subscription.unsubscribe();
      stop.removeEventListener('abort', onStop);
    },
  };
}
