/** Plays the scenario on a disk that loses its power, once or twice, and rescues what is left. All in this process, on a clock that stands still. */
import { manualClock } from '../support/manual-clock.ts';
import { type DiskStoreOptions, SimulatedDisk } from '../support/simulated-disk.ts';
import { countedIds } from '../support/world.ts';
import { type Aftermath, rescue, type StoredSession } from './rescue.ts';
import { openStage, playScenario, type Witness } from './scenario.ts';

/** The first cut is in the scenario, each further one in a rescue. */
export interface PowerCuts {
  readonly cuts: readonly DiskStoreOptions[];
}

/** How many operations the scenario has. */
export async function countDiskOperations(): Promise<number> {
  const store = new SimulatedDisk().open();
  const witness: Witness = { told: () => undefined, effect: () => undefined };
  await playScenario(openStage(store, witness, ports(0)), store, witness);
  return store.operations;
}

export async function afterPowerCuts({ cuts: [first = {}, ...later] }: PowerCuts): Promise<Aftermath> {
  const disk = new SimulatedDisk();
  const told: string[] = [];
  const effects: string[] = [];
  const witness: Witness = { told: (id) => void told.push(id), effect: (key) => void effects.push(key) };
  const store = disk.open(first);
  await Promise.race([playScenario(openStage(store, witness, ports(0)), store, witness), store.cut]);
  // what its process had been told by then counts; the process is gone
  const known = { told: [...told], effects: [...effects] };
  const silent: Witness = { told: () => undefined, effect: (key) => void known.effects.push(key) };
  for (const [index, options] of later.entries()) {
    const next = disk.open(options);
    await Promise.race([rescue(next, silent, ports(index + 1)), next.cut]);
  }
  const last = disk.open();
  const rescued = await rescue(last, silent, ports(later.length + 1));
  const sessions: StoredSession[] = [];
  const again = disk.open();
  for (const id of again.ids()) {
    const head = await again.head(id);
    if (head === undefined) throw new Error(`session ${id} has gone`);
    sessions.push({ header: head.header, events: await again.read(id) });
  }
  return { ...rescued, ...known, sessions, pending: await again.pending() };
}

/** Ids of one process: another has others. */
function ports(process: number) {
  return { clock: manualClock(), ids: countedIds('abcdef'.charAt(process)) };
}
