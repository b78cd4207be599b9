/** Random histories of calls from two owners, each compared with what the model of the port answers. A failure names its seed. */
import { errorCode } from '../../../errors.ts';
import type { SessionStore } from '../../../sessions/store.ts';
import { Random } from '../../simulation/random.ts';
import type { TestCase } from '../../suite.ts';
import { same } from '../expect.ts';
import { guardedCase } from '../guarded.ts';
import type { StoreConformance } from '../store.ts';
import { type StoreBench, withBench } from './bench.ts';
import { type Expected, StoreModel } from './model.ts';
import { type Call, callOf, type Move, randomMoves, stepOf } from './moves.ts';

/** Histories that may be played to find a shorter one that fails too. */
const shorterMax = 60;

export function historyCase(subject: StoreConformance): TestCase {
  const { count = 60, calls = 40, seed = 1 } = subject.histories ?? {};
  const name = `it answers like the model of the port in ${count} random histories of ${calls} calls`;
  return guardedCase(name, subject.timeoutMs ?? 30_000, () => playAll(subject, count, calls, seed));
}

async function playAll(subject: StoreConformance, count: number, calls: number, first: number): Promise<void> {
  for (let seed = first; seed < first + count; seed++) {
    const moves = randomMoves(new Random(seed), calls, subject.reopen !== undefined);
    if ((await failureOf(subject, moves)) === undefined) continue;
    const { failure, moves: fewest } = await shortest(subject, moves);
    const replay = `seed ${seed}; again: histories: { seed: ${seed}, count: 1, calls: ${calls} }`;
    throw new Error(`${failure.message}\n${replay}\nthe calls, ${fewest.length} of ${calls}:\n${failure.calls.join('\n')}`, {
      cause: failure.error,
    });
  }
}

interface Failure {
  readonly message: string;
  readonly calls: readonly string[];
  readonly error: unknown;
}

async function failureOf(subject: StoreConformance, moves: readonly Move[]): Promise<Failure | undefined> {
  const calls: string[] = [];
  try {
    await withBench(subject, (bench) => play(bench, moves, calls));
    return undefined;
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error), calls, error };
  }
}

/** Takes moves out as long as what is left still fails. */
async function shortest(subject: StoreConformance, all: readonly Move[]): Promise<{ failure: Failure; moves: readonly Move[] }> {
  let moves = all;
  let failure = await failureOf(subject, moves);
  let plays = 0;
  for (let size = Math.ceil(moves.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < moves.length && plays < shorterMax; plays++) {
      const fewer = moves.toSpliced(at, size);
      const again = await failureOf(subject, fewer);
      if (again === undefined) at += size;
      else [moves, failure] = [fewer, again];
    }
  }
  return { moves, failure: failure ?? { message: 'it failed once and not again', calls: [], error: undefined } };
}

interface Issued extends Call {
  readonly answer: Promise<unknown>;
}

async function play({ store: first, clock, reopen }: StoreBench, moves: readonly Move[], calls: string[]): Promise<void> {
  const model = new StoreModel();
  model.now = clock.now();
  let store: SessionStore = first;
  let issued: Issued[] = [];
  const judgeAll = async () => {
    const waiting = issued;
    issued = [];
    await Promise.allSettled(waiting.map(({ answer }) => answer));
    for (const one of waiting) await judge(one);
  };
  for (const move of moves) {
    const { kind } = move;
    if (kind === 'step' || kind === 'reopen') {
      await judgeAll();
      calls.push(kind === 'step' ? `${stepOf(move)} ms pass` : 'the store is opened anew');
      if (kind === 'reopen') store = await reopen(store);
      else clock.advance(stepOf(move));
      model.now = clock.now();
      continue;
    }
    const call = callOf({ ...move, kind }, model);
    if (call === undefined) continue;
    calls.push(`${call.text}${move.waits ? '' : ', not awaited'}`);
    issued.push({ ...call, answer: call.issue(store) });
    if (move.waits) await judgeAll();
  }
  await judgeAll();
}

async function judge({ text, expected, answer }: Issued): Promise<void> {
  const promise = `${text}: ${expected.why}`;
  const said = await answer.then(
    (value) => ({ value: 'must' in expected ? listed(value, expected) : value }),
    (error: unknown) => ({ refused: errorCode(error) ?? String(error) }),
  );
  same(said, answerIn(expected), promise);
}

function answerIn(expected: Expected): unknown {
  if ('refused' in expected) return { refused: expected.refused };
  return { value: 'must' in expected ? [...expected.must].sort(byId) : expected.value };
}

/** What `pending` listed, by id; what it may list is left out if it is right. */
function listed(value: unknown, { may }: Extract<Expected, { must: unknown }>): unknown {
  const all = (value as readonly { readonly header: { readonly id: string } }[]).map((one) => [one.header.id, one] as const);
  const isFree = ([id, one]: readonly [string, unknown]) => may.has(id) && JSON.stringify(may.get(id)) === JSON.stringify(one);
  return all.filter((entry) => !isFree(entry)).sort(byId);
}

function byId([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
