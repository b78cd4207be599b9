/**
 * Random trees under random deeds on a store that is slow, full, mute or broken at random. Whatever happens, closing settles
 * everything, and every message that was accepted is in one log once: waiting, or gone once. A failure names its seed; run it
 * alone with `TROUPE_SEED=<seed> npx vitest run test/simulation/trees.test.ts`.
 */
import { expect, test } from 'vitest';
import { errorCode } from '../../src/errors.ts';
import { checkTrace, describeProblem } from '../../src/testing/trace/check.ts';
import { noteFigure } from '../support/figures.ts';
import { unpaired } from '../support/run-pairs.ts';
import type { World } from '../support/world.ts';
import { RandomProgram } from './random-program.ts';

const programs = Number(process.env.TROUPE_PROGRAMS ?? 400);
const only = process.env.TROUPE_SEED === undefined ? undefined : Number(process.env.TROUPE_SEED);

async function messagesMissing({ world, accepted }: RandomProgram): Promise<string[]> {
  const missing: string[] = [];
  for (const { id, target } of accepted) {
    const inserted = await world.logOf(target, 'inbox/inserted').catch(() => []);
    if (inserted.filter(({ data }) => data.messageId === id).length !== 1) missing.push(`${id} to ${target}`);
  }
  return missing;
}

/** Runs whose end the log tells in another way than the event did. Where the store did not say what it wrote, nobody can know. */
async function endsThatDiffer(world: World): Promise<string[]> {
  if (world.faults.some(({ error }) => errorCode(error) === 'OUTCOME_UNKNOWN')) return [];
  const differing: string[] = [];
  for (const { runId, id, local, stopReason } of world.events.of('subagent/end')) {
    const records = local ? await world.logOf(id, 'activation/ended').catch(() => []) : [];
    const record = records.findLast(({ data }) => data.runId === runId);
    const isUnsure = world.store.calls.some(
      ({ method, session, state }) => method === 'append' && session === id && state === 'rejected',
    );
    if (record !== undefined && !isUnsure && record.data.stopReason !== stopReason)
      differing.push(`${id} ended as ${stopReason}, by the log as ${record.data.stopReason}`);
  }
  return differing;
}

async function traceProblems({ store }: World): Promise<string[]> {
  const ids = store.calls.flatMap(({ method, session }) => (method === 'create' && session !== undefined ? [session] : []));
  return (await checkTrace(store.inner, { ids })).problems.map(describeProblem);
}

/** What the programs have reached, so that a property over nothing is seen. */
const reached = { messages: 0, depth: 0, reasons: new Set<string>(), storeFaults: 0 };

function note({ world, accepted }: RandomProgram): void {
  reached.messages += accepted.length;
  reached.storeFaults += world.store.calls.filter(({ state }) => state === 'rejected').length;
  for (const { depth, stopReason } of world.events.of('subagent/end')) {
    reached.depth = Math.max(reached.depth, depth);
    reached.reasons.add(stopReason);
  }
}

async function check(seed: number): Promise<void> {
  const program = new RandomProgram(seed);
  const { world } = program;
  await program.run();
  const { residents, externals, capacity } = world.registry;
  const left = {
    residents: [...residents.keys()],
    externals: [...externals.keys()],
    live: capacity.live,
    timers: world.clock.pendingTimers,
  };
  const where = `seed ${seed}`;
  expect(program.stuck, where).toEqual([]);
  expect(left, where).toEqual({ residents: [], externals: [], live: 0, timers: 0 });
  await Promise.all(program.results);
  expect(await traceProblems(world), where).toEqual([]);
  expect(await messagesMissing(program), where).toEqual([]);
  expect(unpaired(world.events.all), where).toEqual([]);
  expect(await endsThatDiffer(world), where).toEqual([]);
  note(program);
  // what the store does only now is taken back, and nothing else is written
  const known = world.store.calls.length;
  world.store.release();
  await world.advance(60_000);
  const late = world.store.calls.slice(known).flatMap(({ method, events }) => [method, ...events.map(({ type }) => type)]);
  const allowed = [
    'head',
    'read',
    'pending',
    'remove',
    'handBack',
    'append',
    'inbox/discarded',
    'activation/ended',
    'notice/delivered',
  ];
  expect(
    late.filter((what) => !allowed.includes(what)),
    `${where}: writes after the end`,
  ).toEqual([]);
  expect(await traceProblems(world), `${where}, after the store answered`).toEqual([]);
}

test('after any program everything is settled, and every accepted message is in a log once and leaves it at most once (P01, P13, P22, P24, P40, R13)', async () => {
  if (only !== undefined) return check(only);
  for (let seed = 1; seed <= programs; seed++) await check(seed);
  noteFigure('randomPrograms', programs);
  expect(reached.messages).toBeGreaterThan(programs * 3);
  expect(reached.storeFaults).toBeGreaterThan(programs / 2);
  expect([...reached.reasons].toSorted()).toEqual(['aborted', 'completed', 'error', 'refusal']);
  expect(reached.depth).toBe(3);
}, 600_000);
