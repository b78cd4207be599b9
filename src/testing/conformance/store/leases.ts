/** Who may take a session over, and when. */
import type { SessionLease } from '../../../sessions/store.ts';
import { gives, refuses, same } from '../expect.ts';
import { leaseMs, type StoreCase } from './bench.ts';
import { child, header, inserted, numbered, sessionId } from './samples.ts';

const s1 = sessionId('s1');
const s2 = sessionId('s2');

export const leaseCases: readonly StoreCase[] = [
  {
    name: 'another owner is refused while the lease runs, and takes the session over when it ends (P20)',
    async run({ store, clock }) {
      await store.create(header('s1'), 'a', []);
      clock.advance(leaseMs - 1);
      await refuses(store.claim(s1, 'b'), 'BUSY', 'a claim of another owner is refused while the lease runs');
      await gives(store.head(s1), { header: header('s1'), seq: 0, epoch: 1, owner: 'a' }, 'a refused claim changed nothing');
      await store.append(s1, { seq: 0, epoch: 1 }, [inserted('m0')]);
      clock.advance(1);
      await gives(store.claim(s1, 'b'), { seq: 1, epoch: 2 }, 'the session can be taken over when the lease has ended');
      same((await store.head(s1))?.owner, 'b', 'the head names the new owner');
      await refuses(store.append(s1, { seq: 1, epoch: 1 }, [inserted('m1')]), 'FENCED', 'who was replaced writes no more (I1)');
      await refuses(store.claim(s1, 'a'), 'BUSY', 'who was replaced waits like anybody else');
    },
  },
  {
    name: 'an owner whose lease ended goes on writing until somebody claims the session',
    async run({ store, clock }) {
      await store.create(header('s1'), 'a', []);
      clock.advance(leaseMs * 5);
      await store.check(s1, 1);
      await store.append(s1, { seq: 0, epoch: 1 }, [inserted('m1')]);
      await gives(store.claim(s1, 'b'), { seq: 1, epoch: 2 }, 'and then it is claimed, with what was written');
    },
  },
  {
    name: 'one renewal extends the lease on everything the owner has claimed, and on nothing else',
    async run({ store, clock }) {
      await store.create(header('s1'), 'a', []);
      await store.create(header('s2'), 'b', []);
      await store.handBack(s2, 1);
      await store.claim(s2, 'a');
      await store.create(header('s3'), 'c', []);
      clock.advance(leaseMs - 1);
      await store.renew('a');
      clock.advance(leaseMs - 1);
      for (const id of [s1, s2]) await refuses(store.claim(id, 'b'), 'BUSY', `renew extends the lease on ${id}`);
      await gives(epochOf(store.claim(sessionId('s3'), 'b')), 2, 'renew extends the lease of that owner alone');
      clock.advance(1);
      for (const id of [s1, s2])
        same((await store.claim(id, 'b')).epoch > 1, true, `a renewed lease on ${id} ends like any other`);
    },
  },
  {
    name: 'a claim holds for the whole of leaseMs, whatever its owner claimed before',
    async run({ store, clock }) {
      await store.create(header('s1'), 'a', []);
      clock.advance(leaseMs - 1);
      await store.create(header('s2'), 'a', []);
      clock.advance(leaseMs - 1);
      await refuses(store.claim(s2, 'b'), 'BUSY', 'the lease of a claim runs from the claim on');
    },
  },
  {
    name: 'a session that was handed back can be claimed at once',
    async run({ store }) {
      await store.create(header('s1'), 'a', []);
      await store.handBack(s1, 1);
      const head = { header: header('s1'), seq: 0, epoch: 1, owner: undefined };
      await gives(store.head(s1), head, 'handing back gives up the owner and keeps the epoch');
      await gives(store.claim(s1, 'b'), { seq: 0, epoch: 2 }, 'nobody has to wait for a lease that was handed back');
    },
  },
  {
    name: 'the newest epoch still writes after it was handed back, until somebody claims the session',
    async run({ store }) {
      await store.create(header('s1'), 'a', []);
      await store.handBack(s1, 1);
      await store.check(s1, 1);
      await store.append(s1, { seq: 0, epoch: 1 }, [inserted('m1')]);
      await store.claim(s1, 'b');
      await refuses(store.append(s1, { seq: 1, epoch: 1 }, [inserted('m2')]), 'FENCED', 'a claim fences it out (I1)');
      await gives(store.read(s1), numbered([inserted('m1')]), 'what came late is there, what came too late is not');
    },
  },
  {
    name: 'handing back an epoch that is not the newest changes nothing',
    async run({ store }) {
      await store.create(header('s1'), 'a', []);
      await store.claim(s1, 'a');
      for (const epoch of [1, 3]) await store.handBack(s1, epoch);
      const head = { header: header('s1'), seq: 0, epoch: 2, owner: 'a' };
      await gives(store.head(s1), head, 'handing back an older epoch changes nothing');
      await refuses(store.claim(s1, 'b'), 'BUSY', 'handing back an older epoch frees nothing');
    },
  },
  {
    name: 'looking never disturbs an owner: it neither ends a lease nor extends one (I4)',
    async run({ store, clock }) {
      await store.create(header('s1'), 'a', [inserted('m0'), child('c1')]);
      const look = () => Promise.all([store.head(s1), store.read(s1), store.children(s1), store.pending(), store.roots()]);
      await look();
      const head = { header: header('s1'), seq: 2, epoch: 1, owner: 'a' };
      await gives(store.head(s1), head, 'looking leaves number, epoch and owner alone (I4)');
      await store.append(s1, { seq: 2, epoch: 1 }, [inserted('m1')]);
      clock.advance(leaseMs - 1);
      await look();
      await refuses(store.claim(s1, 'b'), 'BUSY', 'looking ends no lease (I4)');
      clock.advance(1);
      await gives(epochOf(store.claim(s1, 'b')), 2, 'looking extends no lease (I4)');
    },
  },
];

async function epochOf(claim: Promise<SessionLease>): Promise<number> {
  return (await claim).epoch;
}
