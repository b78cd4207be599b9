/** Many at once on disk: senders to as many children, and children that end together under one parent. */

import { median, type Spent, spend } from '../measure.ts';
import { besideFloors, floorFields, type Row, sized } from '../row.ts';
import { BusyTurns, instantTurn, openWorld } from '../scripted.ts';
import { openTimedStore } from '../timed-store.ts';

const message = [{ type: 'text', text: 'look at the second file as well' }] as const;

/** Each sender writes to a running child of its own, one message after the other. */
async function sendAll(senders: number, messagesEach: number): Promise<Spent> {
  await using timed = openTimedStore();
  const busy = new BusyTurns();
  const { runtime, root, start, close } = await openWorld({ turn: busy.turn, store: timed.store });
  const children = await Promise.all(Array.from({ length: senders }, () => start()));
  await Promise.all(children.map(({ childId }) => busy.agent(childId)));
  const spent = await spend(senders * messagesEach, async () => {
    const sending = children.map(async ({ childId }) => {
      for (let sent = 0; sent < messagesEach; sent++) await runtime.sendMessage(root.agent, childId, message);
    });
    await Promise.all(sending);
  });
  await close();
  return spent;
}

export const messagesSqlite64: Row = {
  name: 'messages.sqlite.64',
  unit: 'messages/s',
  of: 'sent by 64 senders at once, each to a running child of its own, accepted',
  async measure(effort) {
    const senders = 64;
    const messagesEach = sized(effort, 300);
    const measured = await besideFloors(effort, { warmUps: 1, counted: 5 }, { work: () => sendAll(senders, messagesEach) });
    const { wallUs, cpuUs } = measured.work;
    return { value: 1e6 / wallUs, ...floorFields(wallUs, measured), wallUs, cpuUs, senders, messages: senders * messagesEach };
  },
};

/** How many turns the parent takes to hear of all of them, the first one aside, in which it started them. */
async function callsToHear(children: number): Promise<number> {
  await using timed = openTimedStore();
  let calls = 0;
  let heard = 0;
  const { root, start, close } = await openWorld({
    store: timed.store,
    turn: instantTurn,
    rootTurn: async (turn) => {
      calls++;
      heard += turn.input.filter(({ source }) => source.kind === 'subagent-settled').length;
      return { stopReason: 'completed' };
    },
  });
  await root.whenQuiet();
  const before = calls;
  const started = await Promise.all(Array.from({ length: children }, () => start()));
  await Promise.all(started.map(({ result }) => result));
  await root.whenQuiet();
  if (heard !== children) throw new Error(`the parent heard of ${heard} of ${children} children`);
  await close();
  return calls - before;
}

export const notices1000: Row = {
  name: 'notices.1000',
  unit: 'model calls',
  of: 'of a parent on disk until it has heard of all children that were started and settled together',
  async measure(effort) {
    const children = sized(effort, 1_000);
    const counts: number[] = [];
    for (let round = 0; round < (effort.isQuick ? 1 : 3); round++) counts.push(await callsToHear(children));
    return { value: median(counts), most: Math.max(...counts), children };
  },
};
