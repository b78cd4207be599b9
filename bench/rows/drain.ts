/** Ending resident children that are all in the middle of a turn, from the top: stop, last turn, flush, notice, release. */
import { drainFloor } from '../floors.ts';
import { type Rounds, type Spent, spend } from '../measure.ts';
import { besideFloors, floorFields, type Row, sized } from '../row.ts';
import { BusyTurns, openWorld } from '../scripted.ts';

/** For every node the number of its parent; 0 is the top-level agent, and nodes count from 1. Parents come first. */
type Shape = readonly number[];

const flat = (nodes: number): Shape => new Array<number>(nodes).fill(0);
const chain = (nodes: number): Shape => Array.from({ length: nodes }, (_, index) => index);
/** Every node of the levels above the last has `width` children. */
function tree(width: number, levels: number): Shape {
  const parents: number[] = [];
  let level = [0];
  for (let depth = 0; depth < levels; depth++) {
    level = level.flatMap((parent) => Array.from({ length: width }, () => parents.push(parent)));
  }
  return parents;
}

export async function drainOf(shape: Shape): Promise<Spent> {
  const busy = new BusyTurns();
  const { runtime, root, start, close } = await openWorld({ turn: busy.turn });
  const agents = [Promise.resolve(root.agent)];
  for (const parent of shape) {
    const agent = agents[parent];
    if (agent === undefined) throw new Error('a parent comes after its child');
    agents.push(agent.then(start).then(({ childId }) => busy.agent(childId)));
  }
  await Promise.all(agents);
  const spent = await spend(shape.length, () => runtime.drainDescendants([root.agent]));
  if (await runtime.waitForChildren(root.agent)) throw new Error('a drained child is still there');
  await close();
  return spent;
}

function drainRow(name: string, of: string, full: Shape, quick: Shape, rounds: Rounds): Row {
  return {
    name,
    unit: 'µs CPU/node',
    of,
    async measure(effort) {
      const shape = effort.isQuick ? quick : full;
      const warm = flat(sized(effort, 2_000));
      await besideFloors(effort, { warmUps: 3, counted: 1 }, { floor: () => drainFloor(warm), work: () => drainOf(warm) });
      const measured = await besideFloors(effort, rounds, { floor: () => drainFloor(shape), work: () => drainOf(shape) });
      const { floor, work } = measured;
      return {
        value: work.cpuUs,
        ...floorFields(work.cpuUs, measured),
        ratioToDrainFloor: work.cpuUs / floor.cpuUs,
        drainFloorUs: floor.cpuUs,
        wallUs: work.wallUs,
        nodes: shape.length,
      };
    },
  };
}

const few = { warmUps: 0, counted: 5 };
const many = { warmUps: 3, counted: 9 };

export const drainRows: readonly Row[] = [
  drainRow('drain.flat10k', '10,000 children of one agent', flat(10_000), flat(20), few),
  drainRow('drain.tree1110', 'a tree of 10 children each, 3 levels', tree(10, 3), tree(3, 3), many),
  drainRow('drain.chain500', '500 agents, each the child of the last', chain(500), chain(20), many),
];
