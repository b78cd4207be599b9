/** Plays the scenario on a disk that is full or fails, ends what is left of it, and rescues what was stored. */
import { errorCode } from '../../src/errors.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { SimulatedDisk } from '../support/simulated-disk.ts';
import { countedIds } from '../support/world.ts';
import { type FailingStore, type Failure, failingStore } from './failing-store.ts';
import { type Aftermath, rescue, type StoredSession } from './rescue.ts';
import { openStage, playScenario, type Witness } from './scenario.ts';

export interface BadDisk {
  readonly at: number;
  readonly failure: Failure;
}

export interface Ordeal extends Aftermath {
  /** What the scenario was refused with; `stalled` if it waits for an agent that has ended; `none`. */
  readonly refusal: string;
  /** What closing the runtime came to: `closed`, the code of its error, or `hangs`. */
  readonly closing: string;
  /** Appends to a session of which nobody knows what is written. */
  readonly retried: number;
}

export async function countWrites(): Promise<number> {
  const store = failingStore(new SimulatedDisk().open(), Number.POSITIVE_INFINITY, 'full');
  const witness: Witness = { told: () => undefined, effect: () => undefined };
  await playScenario(openStage(store, witness, { clock: manualClock(), ids: countedIds('a') }), store, witness);
  return store.writes;
}

export async function afterBadDisk({ at, failure }: BadDisk): Promise<Ordeal> {
  const disk = new SimulatedDisk();
  const store = failingStore(disk.open(), at, failure);
  const clock = manualClock();
  const told: string[] = [];
  const effects: string[] = [];
  const witness: Witness = { told: (id) => void told.push(id), effect: (key) => void effects.push(key) };
  const stage = openStage(store, witness, { clock, ids: countedIds('a') });
  const playing = playScenario(stage, store, witness).then(() => 'none', codeOf);
  const refusal = await Promise.race([playing, atRest(store, clock).then(() => 'stalled')]);
  store.heal();
  const closing = await closed(stage.runtime.close(), clock);
  const rescued = await rescue(
    disk.open(),
    { told: () => undefined, effect: (key) => void effects.push(key) },
    { clock: manualClock(), ids: countedIds('b') },
  );
  const again = disk.open();
  const sessions: StoredSession[] = [];
  for (const id of again.ids()) {
    const head = await again.head(id);
    if (head !== undefined) sessions.push({ header: head.header, events: await again.read(id) });
  }
  return { ...rescued, refusal, closing, retried: store.retried, told, effects, sessions, pending: await again.pending() };
}

/** Resolves when nothing is asked of the store any more, also not when time goes on. */
async function atRest(store: FailingStore, clock: ManualClock): Promise<void> {
  for (let before = -1; before !== store.calls; ) {
    before = store.calls;
    for (let turn = 0; turn < 10; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    await clock.advanceAndSettle(1_000);
  }
}

/** Every bound of a close is over after five minutes. */
async function closed(closing: Promise<void>, clock: ManualClock): Promise<string> {
  let outcome = 'hangs';
  const end = closing.then(
    () => {
      outcome = 'closed';
    },
    (error: unknown) => {
      outcome = codeOf(error);
    },
  );
  for (let second = 0; second < 300 && outcome === 'hangs'; second++) await clock.advanceAndSettle(1_000);
  if (outcome !== 'hangs') await end;
  return outcome;
}

function codeOf(error: unknown): string {
  return errorCode(error) ?? `not an error of the library: ${String((error as Error)?.stack)}`;
}
