/** Children and roots. */
import { gives, same } from '../expect.ts';
import type { StoreCase } from './bench.ts';
import { child, header, inserted, sessionId, turnStarted } from './samples.ts';

const s1 = sessionId('s1');

export const catalogCases: readonly StoreCase[] = [
  {
    name: 'the catalog lists the children in event order',
    async run({ store }) {
      await store.create(header('s1'), 'a', [child('c9'), inserted('m0'), child('c1')]);
      await store.append(s1, { seq: 3, epoch: 1 }, [turnStarted, child('c5')]);
      const entries = [
        { seq: 0, ...child('c9') },
        { seq: 2, ...child('c1') },
        { seq: 4, ...child('c5') },
      ];
      await gives(store.children(s1), entries, 'children are listed whole, in event order');
    },
  },
  {
    name: 'children inherited from a fork seed are not the child’s own (S6.1)',
    async run({ store }) {
      const seeded = header('s1', { isSeeded: true, inheritedEvents: 2 });
      await store.create(seeded, 'a', [child('c1'), inserted('m0'), child('c2')]);
      await store.append(s1, { seq: 3, epoch: 1 }, [child('c3')]);
      const ids = (await store.children(s1)).map(({ data }) => data.id);
      same(ids, ['c2', 'c3'], 'entries of the seed are left out, the others are not (S6.1)');
    },
  },
  {
    name: 'the roots are the top-level sessions, oldest first',
    async run({ store }) {
      await store.create(header('s3', { createdAt: 30 }), 'a', []);
      await store.create(header('s1', { createdAt: 10 }), 'a', []);
      await store.create(header('below', { createdAt: 5, delegationDepth: 1, parentSession: s1, origin: 'subagent' }), 'a', []);
      await store.create(header('s2', { createdAt: 20 }), 'a', [inserted('m0')]);
      const roots = await store.roots();
      same(
        roots.map((head) => head.header.id),
        ['s1', 's2', 's3'],
        'roots are all top-level sessions, oldest first, and no others',
      );
      const second = { header: header('s2', { createdAt: 20 }), seq: 1, epoch: 1, owner: 'a' };
      same(roots[1], second, 'roots come as heads');
    },
  },
];
