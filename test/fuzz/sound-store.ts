/**
 * A store of some 200 records in four sessions, with all that a log can have: a catalog, a seed that was inherited, an open turn, an
 * end that was told. It is copied twice: after it was closed, and while a process has it open.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../src/errors.ts';
import { type Clock, systemClock } from '../../src/ports/clock.ts';
import type { NewSessionEvent } from '../../src/sessions/event.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { child, claimed, header, inserted, messageId, sessionId, turnEnded, turnStarted } from '../sessions/samples.ts';

/** Two trees; `fork` has inherited from `root`, whose turn is open; `done` has ended and told its parent. */
export const ids = ['root', 'done', 'fork', 'other'].map(sessionId);
export const parts = ['store.db', 'store.db-wal', 'store.db-shm', 'store.db-mark'] as const;
export type Part = (typeof parts)[number];
/** The bytes of each file of a store; a file that is absent is not there. */
export type Files = Partial<Record<Part, Buffer>>;
/** What each question is answered with: JSON, or a code. */
export type Answers = ReadonlyMap<string, string>;

export interface SoundStore {
  readonly files: Files;
  readonly answers: Answers;
  /** Numbers of the next events of all sessions after each commit since the file itself was last written, in order. */
  readonly states: readonly string[];
}

export interface SoundStores {
  /** As it lies on the disk after it was closed: one file and its mark. */
  readonly closed: SoundStore;
  /** As a process leaves it that is killed: half of the records are in the write-ahead log. */
  readonly killed: SoundStore;
  /** How many events each of the two holds. */
  readonly events: number;
}

export interface SoundStoreSize {
  /** Turns of each session before and after the store is closed once; each has seven records. */
  readonly turns: number;
}

export async function soundStores(folder: string, { turns }: SoundStoreSize = { turns: 5 }): Promise<SoundStores> {
  const path = join(folder, 'store.db');
  let store = sqliteStore({ path, clock });
  const heads = new Map<string, number>();
  const states: string[] = [];
  const note = () => {
    const state = JSON.stringify([...heads]);
    if (states.at(-1) !== state) states.push(state); // several appends may share a commit
  };
  const append = async (id: string, events: readonly NewSessionEvent[]) => {
    const seq = heads.get(id) ?? 0;
    heads.set(id, seq + events.length);
    await store.append(sessionId(id), { seq, epoch: 1 }, events);
    note();
  };
  const create = async (id: string, events: readonly NewSessionEvent[], changes: Parameters<typeof header>[1] = {}) => {
    await store.create(header(id, changes), 'owner', events);
    heads.set(id, events.length);
    note();
  };
  await create('root', []);
  for (let turn = 0; turn < turns; turn++) await append('root', turnOf('root', turn));
  await create('done', [descriptor, inserted('task')], {
    delegationDepth: 1,
    parentSession: sessionId('root'),
    origin: 'subagent',
  });
  await append('root', [child('done')]);
  const seed = await store.read(sessionId('root'));
  const born = { delegationDepth: 1, parentSession: sessionId('root'), isSeeded: true, inheritedEvents: seed.length } as const;
  await create('fork', [...seed, descriptor, inserted('task')], { ...born, origin: 'subagent' });
  await append('root', [child('fork')]);
  await store.close();
  states.splice(0, states.length - 1); // what was committed before is in the file, not in the log
  store = sqliteStore({ path, clock });
  await create('other', [inserted('waits'), child('gone'), child('gone-2')]);
  for (let turn = 0; turn < turns; turn++) {
    await Promise.all(['done', 'fork', 'other'].map((id) => append(id, turnOf(id, turn)))); // one commit
  }
  await append('done', [ended, { type: 'notice/delivered', time: 9, data: { notice: messageId('done:1') } }]);
  await append('root', [inserted('last'), claimed(['last']), turnStarted]);
  const whileOpen = await answersOf(store);
  const killed = { files: filesIn(folder), answers: whileOpen, states };
  await store.close();
  const reopened = sqliteStore({ path, clock });
  const afterwards = await answersOf(reopened);
  await reopened.close();
  const events = [...heads.values()].reduce((sum, count) => sum + count, 0);
  return { closed: { files: filesIn(folder), answers: afterwards, states: states.slice(-1) }, killed, events };
}

/** It stands still: a lease that runs out would be another answer. */
export const clock: Clock = { now: () => 1_700_000_000_000, schedule: systemClock.schedule };

const descriptor: NewSessionEvent = {
  type: 'subagent/descriptor',
  time: 1,
  data: { version: 1, provider: 'spawn', mode: 'continuable', label: 'worker', agentOptions: { model: 'm' }, tools: ['read'] },
};

const ended: NewSessionEvent = {
  type: 'activation/ended',
  time: 8,
  data: { runId: 'run', epoch: 1, stopReason: 'completed', notice: messageId('done:1') },
};

/** Texts that ask something of whoever stores them: what ends a line in JavaScript, NUL, half a character, more than a page. */
const texts = ['short', 'a\u2028b\u2029c', 'nul \0 and \ud800', 'ö'.repeat(300), 'long '.repeat(850)];

function turnOf(id: string, turn: number): NewSessionEvent[] {
  const [name, text] = [`${id}-${turn}`, texts[turn % texts.length] ?? ''];
  const call = { type: 'tool-call', callId: `call-${turn}`, toolName: 'read', input: { path: text.slice(0, 40) } } as const;
  const result = { type: 'tool-result', callId: call.callId, toolName: 'read', output: { lines: [turn, null, true] } } as const;
  const turnId = turnStarted.type === 'turn/started' ? turnStarted.data.turnId : '';
  return [
    inserted(name, { text }),
    claimed([name]),
    turnStarted,
    {
      type: 'assistant/message',
      time: 5,
      data: { turnId, content: [{ type: 'text', text }, call], usage: { inputTokens: turn } },
    },
    { type: 'tool/results', time: 6, data: { turnId, content: [result] } },
    { type: 'assistant/message', time: 7, data: { turnId, content: [{ type: 'text', text: `answer ${turn}` }] } },
    turnEnded,
  ];
}

function filesIn(folder: string): Files {
  return Object.fromEntries(
    parts.filter((part) => existsSync(join(folder, part))).map((part) => [part, readFileSync(join(folder, part))]),
  );
}

/** Every question that a store answers about its sessions, and one about a session that is not there. */
export async function answersOf(store: SessionStore): Promise<Answers> {
  const answers = new Map<string, string>();
  const ask = async (name: string, question: () => Promise<unknown>) => {
    try {
      answers.set(name, JSON.stringify((await question()) ?? 'nothing'));
    } catch (error) {
      answers.set(name, errorCode(error) ?? `${error}`);
    }
  };
  await ask('roots', () => store.roots());
  await ask('pending', () => store.pending());
  await ask('head of nobody', () => store.head(sessionId('nobody')));
  for (const id of ids) {
    await ask(`head of ${id}`, () => store.head(id));
    await ask(`read ${id}`, () => store.read(id));
    await ask(`children of ${id}`, () => store.children(id));
  }
  return answers;
}
