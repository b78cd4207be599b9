/** What a child's whole life costs, and whether that depends on how many siblings live at the same time. */
import { lives } from '../lives.ts';
import { median, type Rounds } from '../measure.ts';
import { besideFloors, floorFields, type Row, sized } from '../row.ts';
import { type CommitTimes, openTimedStore } from '../timed-store.ts';

const of = 'start, one instant turn, settled, parent told';

export const lifecycleMemory: Row = {
  name: 'lifecycle.memory',
  unit: 'µs CPU/child',
  of,
  async measure(effort) {
    const children = sized(effort, 1_000);
    const measured = await besideFloors(effort, { warmUps: 5, counted: 15 }, { work: () => lives(children) });
    const { cpuUs, wallUs } = measured.work;
    return { value: cpuUs, ...floorFields(cpuUs, measured), wallUs, children };
  },
};

function among(name: string, siblings: number, rounds: Rounds): Row {
  return {
    name,
    unit: 'µs CPU/child',
    of,
    async measure(effort) {
      const children = sized(effort, siblings);
      const thousand = sized(effort, 1_000);
      await besideFloors(effort, { warmUps: 5, counted: 1 }, { work: () => lives(thousand) });
      const measured = await besideFloors(effort, rounds, { few: () => lives(thousand), many: () => lives(children) });
      const { few, many } = measured;
      const ratioTo1k = many.cpuUs / few.cpuUs;
      return { value: many.cpuUs, ...floorFields(many.cpuUs, measured), ratioTo1k, wallUs: many.wallUs, children };
    },
  };
}

export const lifecycleMemory10k = among('lifecycle.memory.10k', 10_000, { warmUps: 0, counted: 5 });
export const lifecycleMemory100k = among('lifecycle.memory.100k', 100_000, { warmUps: 0, counted: 1 });

export const lifecycleSqlite: Row = {
  name: 'lifecycle.sqlite',
  unit: 'µs/child',
  of: `${of}; 100 in flight`,
  async measure(effort) {
    const children = sized(effort, 1_000);
    const commits: CommitTimes[] = [];
    const onDisk = async () => {
      await using timed = openTimedStore();
      const spent = await lives(children, { inFlight: sized(effort, 100), store: timed.store });
      commits.push(timed.times);
      return spent;
    };
    const measured = await besideFloors(effort, { warmUps: 3, counted: 9 }, { memory: () => lives(children), disk: onDisk });
    const { memory, disk } = measured;
    return {
      value: disk.wallUs,
      ...floorFields(disk.wallUs, measured),
      ratioToMemory: disk.wallUs / memory.wallUs,
      memoryUs: memory.wallUs,
      cpuUs: disk.cpuUs,
      inTransactionUs: median(commits.map(({ inTransactionUs }) => inTransactionUs / children)),
      commitMs: median(commits.map((times) => times.inTransactionUs / times.commits / 1_000)),
      childrenPerCommit: median(commits.map((times) => children / times.commits)),
      children,
    };
  },
};
