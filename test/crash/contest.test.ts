/** Two real processes want the same agents: one has them, the other is told, and neither writes over the other (R4, P20, S10.2). */
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { NewSessionEvent, SessionEventMap, SessionEventType } from '../../src/sessions/event.ts';
import { type SessionId, toSessionId } from '../../src/sessions/ids.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { claimed, header, inserted, messageId, turnStarted } from '../sessions/samples.ts';
import { tempFolder } from '../sessions/temp-folder.ts';
import { noteFigure } from '../support/figures.ts';
import { manualClock } from '../support/manual-clock.ts';
import { problemsOf } from './checks.ts';
import { startContender } from './contenders.ts';
import type { StoredSession } from './rescue.ts';
import { openStage } from './scenario.ts';

const contests = process.env.TROUPE_NIGHTLY === '1' ? 1_000 : 100;
let path: string;

beforeEach(() => {
  path = join(tempFolder('quick'), 'store.db');
});

describe('two processes that open the same agent at the same moment', () => {
  test(`one wins and does its work, the other is told BUSY, ${contests} times; every log loads and nothing is overwritten`, async () => {
    const ids = Array.from({ length: contests }, (_, index) => toSessionId(`root-${index}`));
    await prepare(ids);
    const both = [await startContender(path), await startContender(path)] as const;
    const wins = [0, 0];
    for (const [contest, id] of ids.entries()) {
      const first = contest % 2; // who is asked first wins more often
      const asked = [both[first]?.call('open', id), both[1 - first]?.call('open', id)];
      const answers = await Promise.all(first === 0 ? asked : asked.reverse());
      expect(answers, id).toContainEqual({ refused: 'BUSY' });
      expect(answers, id).toContain(undefined);
      const winner = answers.indexOf(undefined);
      wins[winner] = (wins[winner] ?? 0) + 1;
      const reports = await Promise.all(both.map((one) => one.call('recover')));
      expect(reports[winner], id).toMatchObject({ resumed: [`child-of-${id}`], waiting: waitingAfter(ids, id) });
      expect(reports[1 - winner], id).toMatchObject({ resumed: [], told: [], removed: [] });
      expect(await both[winner]?.call('finish', id)).toBeUndefined();
    }
    expect(Math.min(...wins), `wins ${wins.join(' and ')}`).toBeGreaterThan(0);
    for (const one of both) expect(await one.call('met')).toMatchObject({ faults: [] });
    const sessions = await storedSessions(ids.flatMap((id) => [id, childOf(id)]));
    const problems = problemsOf(quiet(sessions));
    noteFigure(
      'contests',
      wins.reduce((sum, count) => sum + count, 0),
    );
    noteFigure('contestProblems', problems.length);
    expect(problems).toEqual([]);
    for (const { header: of, events } of sessions) {
      const epochs = new Set(events.flatMap((event) => (event.type === 'activation/ended' ? [event.data.epoch] : [])));
      expect(epochs, of.id).toEqual(new Set([2]));
    }
  }, 300_000);
});

describe.runIf(process.platform === 'linux')('a process that was frozen while another took its agents over', () => {
  const rootId = toSessionId('root');
  const childId = toSessionId('worker');

  test('writes nothing when it goes on: its driver gets no further, its activation ends as fenced, its callers are told (P20)', async () => {
    const frozen = await startContender(path, 60_000);
    await frozen.call('open', rootId);
    await frozen.call('work', rootId, childId);
    await frozen.freeze();
    await takeOver(rootId, childId);
    const before = await storedSessions([rootId, childId]);
    frozen.thaw();
    expect(await frozen.call('thaw', childId)).toEqual({ refused: 'FENCED' });
    expect(await frozen.call('prompt', rootId)).toEqual({ refused: 'FENCED' });
    const { met } = (await frozen.call('met')) as { met: string[] };
    expect(met).toEqual(['check: FENCED', 'record: FENCED', 'steering: done []', 'check: FENCED']);
    expect(await frozen.call('close')).toBeUndefined();
    const after = await storedSessions([rootId, childId]);
    expect(after).toEqual(before);
    expect(JSON.stringify(after)).not.toContain('written too late');
    expect(problemsOf(quiet(after))).toEqual([]);
  });
});

function childOf(id: SessionId): SessionId {
  return toSessionId(`child-of-${id}`);
}

/** Agents that a process left which is gone: a message nobody claimed, and a child in a turn that was cut off. */
async function prepare(ids: readonly SessionId[]): Promise<void> {
  const store = sqliteStore({ path });
  await Promise.all(
    ids.map(async (id) => {
      const below = header(childOf(id), { parentSession: id, delegationDepth: 1, origin: 'subagent' });
      const [asked, task] = [`asked-${id}`, messageId(`task-${id}`)];
      const source = { kind: 'delegation', form: 'prompt', senderSessionId: id } as const;
      await store.create(header(id), 'gone', [
        inserted(asked),
        event('subagent/child', { id: below.id, mode: 'continuable', label: 'worker', createdAt: below.createdAt }),
      ]);
      await store.create(below, 'gone', [
        event('subagent/descriptor', { version: 1, provider: 'spawn', mode: 'continuable', label: 'worker', agentOptions: {} }),
        event('inbox/inserted', { messageId: task, lane: 'turn', wakes: true, source, content: [] }),
        claimed([task]),
        turnStarted,
      ]);
    }),
  );
  await store.close();
}

function event<Type extends SessionEventType>(type: Type, data: SessionEventMap[Type]): NewSessionEvent {
  return { type, time: 1, data } as NewSessionEvent;
}

/** Nobody but the winner sees these: they wait for roots that are not open. */
function waitingAfter(ids: readonly SessionId[], id: SessionId) {
  const later = ids.slice(ids.indexOf(id) + 1).flatMap((one) => [one, childOf(one)]);
  return expect.toSatisfy(
    (waiting: readonly { id: string; reason: string }[]) =>
      waiting.length === later.length && waiting.every((one) => one.reason === 'parent-not-open'),
  );
}

/** In this process, where time goes as the test says: the lease of the frozen one runs out. */
async function takeOver(rootId: SessionId, childId: SessionId): Promise<void> {
  const clock = manualClock(Date.now());
  const store = sqliteStore({ path, clock });
  const stage = openStage(store, { told: () => undefined, effect: () => undefined });
  const setup = { id: rootId, label: 'root', cwd: '/project', composition: stage.composition };
  await expect(stage.runtime.openAgent(setup)).rejects.toMatchObject({ code: 'BUSY' });
  clock.advance(120_000);
  const root = await stage.runtime.openAgent(setup);
  expect((await stage.runtime.recover()).resumed).toEqual([childId]);
  await root.whenQuiet();
  await stage.runtime.close();
  await store.close();
  expect(stage.faults).toEqual([]);
}

async function storedSessions(ids: readonly SessionId[]): Promise<StoredSession[]> {
  const store: SessionStore = sqliteStore({ path });
  onTestFinished(() => store.close());
  return await Promise.all(
    ids.map(async (id) => {
      const head = await store.head(id);
      if (head === undefined) throw new Error(`session ${id} has gone`);
      return { header: head.header, events: await store.read(id) };
    }),
  );
}

function quiet(sessions: readonly StoredSession[]) {
  const report = { resumed: [], told: [], removed: [], waiting: [] };
  return { sessions, told: [], effects: [], pending: [], report, faults: [], lives: [] };
}
