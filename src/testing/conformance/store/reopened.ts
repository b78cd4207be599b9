/** Stores that outlive their process: what another process finds. */
import { gives, refuses, same } from '../expect.ts';
import { leaseMs, type StoreCase } from './bench.ts';
import { child, claimed, header, inserted, numbered, sessionId } from './samples.ts';

const s1 = sessionId('s1');
const s2 = sessionId('s2');

export const reopenedCases: readonly StoreCase[] = [
  {
    name: 'what resolved is there after reopening without a close, in every view (I2)',
    async run({ store, reopen }) {
      await store.create(header('s1', { createdAt: 1 }), 'a', [inserted('m0'), child('c1')]);
      await store.append(s1, { seq: 2, epoch: 1 }, [inserted('m1'), child('c2')]);
      await store.create(header('s2', { createdAt: 2 }), 'a', []);
      await store.create(header('s3', { createdAt: 3 }), 'a', []);
      await store.claim(s2, 'a');
      await store.handBack(s1, 1);
      await store.remove(sessionId('s3'), 1);
      const found = await reopen(store);
      const all = numbered([inserted('m0'), child('c1'), inserted('m1'), child('c2')]);
      await gives(found.read(s1), all, 'every event that was acknowledged is there (I2)');
      same(
        (await found.children(s1)).map(({ data }) => data.id),
        ['c1', 'c2'],
        'the catalog is there (I2)',
      );
      const heads = [
        { header: header('s1', { createdAt: 1 }), seq: 4, epoch: 1, owner: undefined },
        { header: header('s2', { createdAt: 2 }), seq: 0, epoch: 2, owner: 'a' },
      ];
      await gives(found.roots(), heads, 'claims, hand-backs and removals are there (I2)');
      const owed = { unclaimed: 2, hasOpenTurn: false, hasUndeliveredNotice: false };
      await gives(found.pending(), [{ header: header('s1', { createdAt: 1 }), pending: owed }], 'what is owed is there (I2)');
    },
  },
  {
    name: 'epochs and leases go on where they were, and fence across two stores on one place (I1, P20)',
    async run({ store, clock, reopen }) {
      await store.create(header('s1'), 'a', [inserted('m0')]);
      const other = await reopen(store);
      await refuses(other.claim(s1, 'b'), 'BUSY', 'a lease holds for every store on the place');
      clock.advance(leaseMs);
      await gives(other.claim(s1, 'b'), { seq: 1, epoch: 2 }, 'the epoch goes on where it was (I1)');
      await refuses(
        store.append(s1, { seq: 1, epoch: 1 }, [inserted('m1')]),
        'FENCED',
        'a claim fences the other store out (I1)',
      );
      await refuses(store.check(s1, 1), 'FENCED', 'and it learns so by check (I1)');
      await other.append(s1, { seq: 1, epoch: 2 }, [claimed(['m0'])]);
      await gives(store.read(s1), numbered([inserted('m0'), claimed(['m0'])]), 'both see what was acknowledged');
    },
  },
];
