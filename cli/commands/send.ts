/** `troupe send`: a person's message to an agent that has settled, and its answer. */
import { type SessionHead, type SessionId, type SessionStore, textOf } from '../../src/index.ts';
import type { Command } from '../arguments.ts';
import { exitCodes, Failure } from '../exit.ts';
import { openFolder } from '../folder.ts';
import { createHost, type Host } from '../host.ts';
import type { Io } from '../io.ts';
import { loadModel } from '../model.ts';
import { type FoundSession, findSession } from '../sessions/find.ts';
import { finishSurvey } from '../sessions/interrupted.ts';
import { restingAncestors, sendBelow } from '../sessions/relay.ts';
import { orphansIn, standingOf } from '../sessions/standing.ts';
import { isWaiting } from '../survey/waiting.ts';
import { printable, printableText } from '../terminal/printable.ts';

type SendCommand = Extract<Command, { name: 'send' }>;

export async function sendCommand(command: SendCommand, io: Io): Promise<number> {
  const { root } = openFolder(command.folder);
  const model = await loadModel(command.model);
  const found = await findSession(root, command.id);
  const faults = new Set<string>();
  let answer: Answer;
  try {
    const workspace = openFolder(found.head.header.project);
    const host = createHost({ workspace, store: found.store, model, note: (line) => faults.add(line) });
    try {
      answer = await ask(host, found, command.text, io.stop);
    } finally {
      await host.runtime.close();
    }
  } finally {
    await found.store.close();
  }
  await io.out(`${printableText(answer.text)}\n`);
  if (answer.stopReason === 'completed') {
    for (const fault of faults) io.screen.write(`${printable(fault)}\n`);
    return exitCodes.ok;
  }
  throw new Failure('notCompleted', `the agent ended as ${answer.stopReason}`);
}

interface Answer {
  readonly text: string;
  readonly stopReason: string;
}

async function ask(host: Host, { store, head }: FoundSession, text: string, stop: AbortSignal): Promise<Answer> {
  const path = await pathTo(store, head);
  const target = head.header.id;
  const above = path.slice(0, -1).map(({ header }) => header.id);
  const parentId = above.at(-1);
  const orphans = await orphansIn(store);
  await refuseInterrupted(store, path.slice(0, -1), orphans);
  const { runtime, composition } = host;
  const root = await runtime.openAgent({
    composition: restingAncestors(composition, above),
    cwd: head.header.project,
    id: above[0] ?? target,
    signal: stop,
  });
  if (parentId !== undefined) {
    const stopReason = await sendBelow(runtime, root, { parentId, childId: target, text }, stop);
    return { text: await answersSince(store, head), stopReason };
  }
  // what was cut off comes first: its subagents report to it, and then it reads the message
  if (orphans.has(target) && head.seq > 0) await finishSurvey(runtime, root, stop);
  const { stopReason } = await root.ask(text, { signal: stop });
  return { text: await answersSince(store, head), stopReason };
}

/** From the top-level session down to this one. */
async function pathTo(store: SessionStore, head: SessionHead): Promise<SessionHead[]> {
  const path = [head];
  for (let above = head.header.parentSession; above !== undefined; above = path[0]?.header.parentSession) {
    const parent = await store.head(above);
    if (parent === undefined) throw new Failure('sessionUnknown', `the session ${above} above it is gone`);
    if (path.includes(parent) || path.some(({ header }) => header.id === above)) {
      throw new Failure('databaseDamaged', `the session ${above} lies below itself`);
    }
    path.unshift(parent);
  }
  return path;
}

/** A reopened agent first goes on with what was cut off; only the person can say whether that work is wanted. */
async function refuseInterrupted(
  store: SessionStore,
  ancestors: readonly SessionHead[],
  orphans: ReadonlySet<string>,
): Promise<void> {
  for (const { header } of ancestors) {
    if (standingOf(await store.read(header.id), header, orphans) !== 'interrupted') continue;
    throw new Failure(
      'notCompleted',
      `the survey above it was interrupted; first finish it: troupe run, or troupe send ${header.id} "go on"`,
    );
  }
}

/** The last words of every turn since `head` was read: an agent that was interrupted ends that turn before it answers. */
async function answersSince(store: SessionStore, { header, seq }: SessionHead): Promise<string> {
  const answers = new Map<string, string>();
  for (const event of await store.read(header.id as SessionId, seq)) {
    if (event.type !== 'assistant/message') continue;
    const text = textOf(event.data.content);
    if (text !== '' && !isWaiting(text)) answers.set(event.data.turnId, text);
  }
  return [...answers.values()].join('\n\n');
}
