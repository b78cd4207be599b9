/** S1.6: the caller's signal, at each moment of a start. */
import { systemClock } from '../../../ports/clock.ts';
import type { SubagentActivation } from '../../../providers/contract.ts';
import { answerOf, holds, same } from '../expect.ts';
import { disposed, type ProviderCase } from './bench.ts';
import { nothingLeft } from './left.ts';
import type { ProviderWorld } from './world.ts';

export const startAbortCases: readonly ProviderCase[] = [
  {
    name: 'a signal that has fired refuses the start before the provider is asked (S1.6)',
    async run(world) {
      const { provider, store, time, prompts } = world;
      const { writes } = store;
      const code = await answerOf(
        time.settled(world.start(prompts.runs, { signal: AbortSignal.abort() }), 'a start is answered'),
      );
      same(
        [code, provider.starts.length, store.writes],
        ['CANCELLED', 0, writes],
        'nothing happens once the signal has fired (S1.6)',
      );
      await nothingLeft(world, 'a start that was cancelled leaves nothing (S1.6)');
    },
  },
  {
    name: 'an abort at any moment of a start either leaves nothing, or comes after publication (S1.6)',
    async run(world) {
      for (const moment of await momentsOf(world)) await abortAt(world, moment);
    },
  },
  {
    name: 'an abort just when the provider has started the child leaves nothing: a late run is disposed (S1.6, P24)',
    async run(world) {
      const { provider, time, prompts } = world;
      const abort = new AbortController();
      provider.holds = { start: { pass: async () => abort.abort() } };
      const code = await answerOf(
        time.settled(world.start(prompts.runs, { signal: abort.signal }), 'a start that is aborted is answered'),
      );
      same(code, 'CANCELLED', 'an abort before publication rejects the start (S1.6)');
      await nothingLeft(world, 'a run that comes after the abort is disposed and leaves nothing (S1.6)');
    },
  },
  {
    name: 'an abort after publication changes nothing: the child goes on, and its own signal has not fired (S1.6)',
    async run(world) {
      const { provider, time, prompts } = world;
      const abort = new AbortController();
      const child = await world.started(prompts.runs, { signal: abort.signal });
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      child.result.then(over, over);
      abort.abort();
      await time.pass();
      const signalled = provider.starts.at(-1)?.request.signal.aborted;
      same([isOver, signalled], [false, false], 'after publication the caller cancels with dispose() (S1.6)');
      await disposed(world, child, 'a child is disposed');
    },
  },
];

/** Aborts a start at the moment, and sees what becomes of it. */
async function abortAt(world: ProviderWorld, moment: Moment): Promise<void> {
  const { time, prompts, provider } = world;
  const abort = new AbortController();
  let child: SubagentActivation | undefined;
  moment.arm(world, () => abort.abort());
  const starting = world.start(prompts.runs, { signal: abort.signal }).then((started) => {
    child = started;
  });
  const code = await time.settled(answerOf(starting), `a start that is aborted is answered, also ${moment.name}`);
  const isRight = code === 'CANCELLED' || code === 'resolved';
  holds(isRight, `an abort rejects CANCELLED or comes too late; ${moment.name} the start was answered ${code}`);
  if (child !== undefined) await disposed(world, child, 'a child is disposed');
  provider.holds = {};
  await nothingLeft(world, `an abort ${moment.name} leaves nothing (S1.6)`);
}

interface Moment {
  readonly name: string;
  /** Called right before the start; `fire` at the moment. */
  arm(world: ProviderWorld, fire: () => void): void;
}

/** Microtasks from the call on that are tried, and from the provider's answer on, if there are so many. */
const ticksMax = 400;
const ticksAfterAnswerMax = 40;

/** Spread over the time that a start takes, before the provider's answer and after it. */
async function momentsOf(world: ProviderWorld): Promise<readonly Moment[]> {
  const { time, conformance, prompts } = world;
  const { momentsMax = time.isReal ? 5 : 24 } = conformance;
  let isPublished = false;
  const begun = systemClock.now();
  const starting = world.start(prompts.runs).then((child) => {
    isPublished = true;
    return child;
  });
  let ticks = 0;
  if (!time.isReal) for (; ticks < ticksMax && !isPublished; ticks++) await Promise.resolve();
  const child = await time.settled(starting, 'a start is answered');
  const ms = systemClock.now() - begun;
  await disposed(world, child, 'a child is disposed');
  if (time.isReal) return [...spread(ms, momentsMax).map(afterMs), afterAnswer(0)];
  const late = spread(ticksAfterAnswerMax, Math.ceil(momentsMax / 2));
  return [...spread(ticks, momentsMax).map(afterTicks), ...late.map(afterAnswer)];
}

/** `count` whole numbers from 0 on, below `whole`. */
function spread(whole: number, count: number): readonly number[] {
  return [...new Set(Array.from({ length: count }, (_, index) => Math.floor((whole * index) / count)))];
}

function afterTicks(ticks: number): Moment {
  return { name: `${ticks} microtasks after the call`, arm: (_, fire) => void passed(ticks).then(fire) };
}

function afterAnswer(ticks: number): Moment {
  return {
    name: `${ticks} microtasks after the provider's answer`,
    arm(world, fire) {
      world.provider.holds = { start: { pass: async () => void passed(ticks).then(fire) } };
    },
  };
}

async function passed(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
}

function afterMs(ms: number): Moment {
  return { name: `${ms} ms after the call`, arm: (_, fire) => void systemClock.schedule(ms, fire) };
}
