/**
 * Memory of a child that waits: interrupted in its turn with one message left, which keeps it resident until somebody sends
 * another. Its session is in the memory store, so the log counts too, and so does the parent's entry for it.
 */
import type { ContentBlock } from '../../src/index.ts';
import { floorHeap } from '../floors.ts';
import { heapBytes } from '../measure.ts';
import { type Row, sized } from '../row.ts';
import { BusyTurns, openWorld, type World } from '../scripted.ts';

export const heapPerWaitingChild: Row = {
  name: 'heap.perWaitingChild',
  unit: 'bytes/child',
  of: 'interrupted with one message left; its session in memory',
  async measure(effort) {
    const children = sized(effort, 10_000);
    const floorBytes = await floorHeap(children);
    const busy = new BusyTurns();
    const world = await openWorld({ turn: busy.turn });
    await addWaiting(world, busy, sized(effort, 1_000));
    const before = await heapBytes();
    await addWaiting(world, busy, children);
    const value = ((await heapBytes()) - before) / children;
    await mustWait(world);
    await world.close();
    return { value, ratioToFloor: value / floorBytes, floorBytes, children };
  },
};

async function addWaiting({ runtime, root, start }: World, busy: BusyTurns, children: number): Promise<void> {
  const message: ContentBlock[] = [{ type: 'text', text: 'when you can' }];
  const waiting = Array.from({ length: children }, async () => {
    const { childId } = await start();
    await busy.agent(childId);
    await runtime.sendMessage(root.agent, childId, message);
    runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent });
  });
  await Promise.all(waiting);
  await runtime.waitForChildren(root.agent);
  busy.forget();
}

async function mustWait({ runtime, root }: World): Promise<void> {
  const children = await runtime.listChildren(root.id);
  for (const { id } of children) {
    const { events } = await runtime.readSession(id);
    const types = events.map(({ type }) => type);
    if (!types.includes('turn/ended') || types.includes('activation/ended')) throw new Error(`child ${id} does not wait`);
  }
}
