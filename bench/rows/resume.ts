/** A message to a settled child: its session is read and claimed, a new activation admitted, the message committed. */
import type { ContentBlock, SessionStore } from '../../src/index.ts';
import { median, middle, type Spent, timed } from '../measure.ts';
import { besideFloors, floorFields, type Row, sized } from '../row.ts';
import { instantTurn, openWorld, type World } from '../scripted.ts';
import { type CommitTimes, openTimedStore } from '../timed-store.ts';

const message: readonly ContentBlock[] = [{ type: 'text', text: 'and now the next part' }];
const turns = 10;

/** Every child is resumed once, alone: nothing else goes on when its message is sent. */
async function resume(children: number, store?: SessionStore): Promise<Spent> {
  const world = await openWorld({ turn: instantTurn, ...(store !== undefined && { store }) });
  const { runtime, root } = world;
  const ids = await settledChildren(world, children);
  const samples: Spent[] = [];
  globalThis.gc?.();
  for (const id of ids) {
    samples.push(await timed(1, async () => void (await runtime.sendMessage(root.agent, id, message))));
    await runtime.waitForChildren(root.agent);
  }
  await world.close();
  return middle(samples);
}

/** Each has taken ten turns in as many activations. */
async function settledChildren({ runtime, root, start }: World, children: number): Promise<readonly string[]> {
  const started = await Promise.all(Array.from({ length: children }, () => start()));
  const ids = started.map(({ childId }) => childId);
  await runtime.waitForChildren(root.agent);
  for (let turn = 1; turn < turns; turn++) {
    await Promise.all(ids.map((id) => runtime.sendMessage(root.agent, id, message)));
    await runtime.waitForChildren(root.agent);
  }
  return ids;
}

/** `work` adds the times of its commits, if it has any. */
function row(name: string, work: (children: number, commits: CommitTimes[]) => Promise<Spent>): Row {
  return {
    name,
    unit: 'ms',
    of: `a message to a settled child with ${turns} turns, until accepted`,
    async measure(effort) {
      const children = sized(effort, 100);
      const commits: CommitTimes[] = [];
      const measured = await besideFloors(effort, { warmUps: 1, counted: 5 }, { work: () => work(children, commits) });
      const { wallUs } = measured.work;
      const commitMs = median(commits.map((times) => times.inTransactionUs / times.commits / 1_000));
      return { value: wallUs / 1_000, ...floorFields(wallUs, measured), ...(commits.length > 0 && { commitMs }), children };
    },
  };
}

export const resumeRows: readonly Row[] = [
  row('resume.memory', (children) => resume(children)),
  row('resume.sqlite', async (children, commits) => {
    await using timed = openTimedStore();
    commits.push(timed.times);
    return await resume(children, timed.store);
  }),
];
