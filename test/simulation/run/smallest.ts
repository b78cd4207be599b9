/** The smallest run that still fails: with as few kinds of faults and as few deeds as will do. */
import type { FaultKind } from '../../../src/testing/simulation/faults.ts';
import { shrinkList } from '../../../src/testing/simulation/shrink.ts';
import { playSeed, type Replay } from './play-seed.ts';

const deedsMax = 120;

export async function smallest(failing: Replay, faults: readonly FaultKind[]): Promise<Replay> {
  const fails = async (replay: Replay) => (await playSeed(replay)).violations.length > 0;
  let replay: Replay = failing;
  const kinds = await shrinkList(faults, (kept) => fails(leavingOut(replay, faults, kept)));
  replay = leavingOut(replay, faults, kinds);
  const deeds = await fewestDeeds(replay, fails);
  replay = { ...replay, deeds };
  const numbers = Array.from({ length: deeds }, (_, number) => number);
  const kept = await shrinkList(numbers, (some) => fails({ ...replay, skip: numbers.filter((one) => !some.includes(one)) }));
  const skip = numbers.filter((one) => !kept.includes(one));
  return skip.length > 0 ? { ...replay, skip } : replay;
}

function leavingOut(replay: Replay, faults: readonly FaultKind[], kept: readonly FaultKind[]): Replay {
  const without = faults.filter((kind) => !kept.includes(kind));
  return without.length > 0 ? { ...replay, without: [...(replay.without ?? []), ...without] } : replay;
}

async function fewestDeeds(replay: Replay, fails: (replay: Replay) => Promise<boolean>): Promise<number> {
  let [few, enough] = [0, replay.deeds ?? deedsMax];
  while (few < enough) {
    const middle = Math.floor((few + enough) / 2);
    if (await fails({ ...replay, deeds: middle })) enough = middle;
    else few = middle + 1;
  }
  return (await fails({ ...replay, deeds: enough })) ? enough : (replay.deeds ?? deedsMax);
}
