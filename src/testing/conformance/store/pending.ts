/** What a session owes. Generated histories compare the same with a count by name (histories.ts). */
import type { NewSessionEvent } from '../../../sessions/event.ts';
import { gives, same } from '../expect.ts';
import { leaseMs, type StoreCase } from './bench.ts';
import { claimed, header, inserted, messageId, sessionId, turnEnded, turnStarted } from './samples.ts';

const s1 = sessionId('s1');

export const pendingCases: readonly StoreCase[] = [
  {
    name: 'pending lists a session with unclaimed input, until the input is claimed (S10.1)',
    async run({ store }) {
      await store.create(header('s1'), 'a', [inserted('m1'), inserted('m2')]);
      await store.handBack(s1, 1);
      const unclaimed = (count: number) => [
        { header: header('s1'), pending: { unclaimed: count, hasOpenTurn: false, hasUndeliveredNotice: false } },
      ];
      await gives(store.pending(), unclaimed(2), 'pending counts every message that nobody has claimed');
      await store.append(s1, { seq: 2, epoch: 1 }, [claimed(['m1'])]);
      await gives(store.pending(), unclaimed(1), 'a claim takes what it claims from the count');
      await store.append(s1, { seq: 3, epoch: 1 }, [claimed(['m2'])]);
      await gives(store.pending(), [], 'a session that owes nothing is not pending');
    },
  },
  {
    name: 'pending counts messages that wake, and an open turn until it has ended',
    async run({ store }) {
      await store.create(header('s1'), 'a', [inserted('m1', { wakes: false })]);
      await store.handBack(s1, 1);
      await gives(store.pending(), [], 'a message that does not wake is not owed');
      await store.append(s1, { seq: 1, epoch: 1 }, [inserted('m2'), claimed(['m1', 'm2'], 1), turnStarted]);
      const open = { header: header('s1'), pending: { unclaimed: 0, hasOpenTurn: true, hasUndeliveredNotice: false } };
      await gives(store.pending(), [open], 'an open turn is owed');
      await store.append(s1, { seq: 4, epoch: 1 }, [turnEnded]);
      await gives(store.pending(), [], 'an ended turn is not owed');
    },
  },
  {
    name: 'pending lists a child from its first input until its parent is told of its end, a top-level session not (P01, S3.9)',
    async run({ store }) {
      const ended: NewSessionEvent = {
        type: 'activation/ended',
        time: 5,
        data: { runId: 'r', epoch: 1, stopReason: 'completed', notice: messageId('c:1') },
      };
      const told: NewSessionEvent = { type: 'notice/delivered', time: 6, data: { notice: messageId('c:1') } };
      const lives: NewSessionEvent[][] = [[inserted('m1')], [claimed(['m1']), turnStarted], [turnEnded], [ended], [told]];
      for (const [name, delegationDepth, owing] of [
        ['c', 1, 4],
        ['r', 0, 2],
      ] as const) {
        const id = sessionId(name);
        await store.create(header(name, { delegationDepth }), 'a', []);
        await store.handBack(id, 1);
        let seq = 0;
        for (const [step, events] of lives.entries()) {
          if (name === 'r' && step > 2) break;
          await store.append(id, { seq, epoch: 1 }, events);
          seq += events.length;
          const listed = (await store.pending()).map((one) => one.header.id);
          same(listed, step < owing ? [id] : [], `what ${name} owes after step ${step} of its life`);
        }
      }
    },
  },
  {
    name: 'pending leaves out what a live owner holds, and lists it when the lease ends or is handed back (P20)',
    async run({ store, clock }) {
      await store.create(header('s1'), 'a', [inserted('m1')]);
      await gives(store.pending(), [], 'what a live owner holds is left out');
      clock.advance(leaseMs);
      const ids = async () => (await store.pending()).map((one) => one.header.id);
      await gives(ids(), ['s1'], 'what no live owner holds is listed');
      await store.claim(s1, 'b');
      await gives(ids(), [], 'what was taken over is left out again');
      await store.handBack(s1, 2);
      await gives(ids(), ['s1'], 'what was handed back is listed at once');
    },
  },
];
