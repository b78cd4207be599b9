/** Messages from a parent to one child in the middle of a turn, until each is accepted; nobody claims them. */
import type { ContentBlock, SessionStore } from '../../src/index.ts';
import { median, type Spent, spend } from '../measure.ts';
import { besideFloors, floorFields, type Row, sized } from '../row.ts';
import { BusyTurns, openWorld } from '../scripted.ts';
import { type CommitTimes, openTimedStore } from '../timed-store.ts';

const message: readonly ContentBlock[] = [{ type: 'text', text: 'look at the second file as well' }];

export async function send(messages: number, inFlight: number, store?: SessionStore): Promise<Spent> {
  const busy = new BusyTurns();
  const { runtime, root, start, close } = await openWorld({ turn: busy.turn, ...(store !== undefined && { store }) });
  const { childId } = await start();
  await busy.agent(childId);
  let left = messages;
  const sender = async () => {
    while (left-- > 0) await runtime.sendMessage(root.agent, childId, message);
  };
  const spent = await spend(messages, async () => {
    await Promise.all(Array.from({ length: inFlight }, sender));
  });
  const { events } = await runtime.readSession(childId);
  const accepted = events.filter(({ type }) => type === 'inbox/inserted').length - 1; // its prompt
  if (accepted !== messages) throw new Error(`${accepted} of ${messages} messages were accepted`);
  await close();
  return spent;
}

export const messagesMemory: Row = {
  name: 'messages.memory',
  unit: 'µs CPU/message',
  of: 'sent to one running child, one after the other, accepted',
  async measure(effort) {
    const messages = sized(effort, 20_000);
    const measured = await besideFloors(effort, { warmUps: 3, counted: 9 }, { work: () => send(messages, 1) });
    const { cpuUs, wallUs } = measured.work;
    return { value: cpuUs, ...floorFields(cpuUs, measured), wallUs, messages };
  },
};

export const messagesSqlite: Row = {
  name: 'messages.sqlite',
  unit: 'messages/s',
  of: 'sent to one running child, 64 in flight, accepted',
  async measure(effort) {
    const messages = sized(effort, 20_000);
    const inFlight = sized(effort, 64);
    const commits: CommitTimes[] = [];
    const onDisk = async () => {
      await using timed = openTimedStore();
      const spent = await send(messages, inFlight, timed.store);
      commits.push(timed.times);
      return spent;
    };
    const measured = await besideFloors(effort, { warmUps: 1, counted: 5 }, { work: onDisk });
    const { wallUs, cpuUs } = measured.work;
    return {
      value: 1e6 / wallUs,
      ...floorFields(wallUs, measured),
      wallUs,
      cpuUs,
      inTransactionUs: median(commits.map(({ inTransactionUs }) => inTransactionUs / messages)),
      commitMs: median(commits.map((times) => times.inTransactionUs / times.commits / 1_000)),
      messages,
      inFlight,
    };
  },
};
