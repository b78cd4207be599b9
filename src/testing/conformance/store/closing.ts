/** The end of a store. */
import { gives, refuses, same } from '../expect.ts';
import type { StoreCase } from './bench.ts';
import { header, sessionId } from './samples.ts';

const s1 = sessionId('s1');

export const closingCases: readonly StoreCase[] = [
  {
    name: 'closing waits for what was issued, refuses later calls STORE_CLOSED, and closing again changes nothing',
    async run({ store }) {
      let isCreated = false;
      const creating = store.create(header('s1'), 'a', []).then((lease) => {
        isCreated = true;
        return lease;
      });
      await store.close();
      await Promise.resolve(); // the two may be answered in one instant
      same(isCreated, true, 'close waits for what was issued before');
      await gives(creating, { seq: 0, epoch: 1 }, 'what was issued before takes effect');
      await store.close();
      const calls = {
        head: () => store.head(s1),
        read: () => store.read(s1),
        create: () => store.create(header('s2'), 'a', []),
        claim: () => store.claim(s1, 'a'),
        renew: () => store.renew('a'),
        handBack: () => store.handBack(s1, 1),
        append: () => store.append(s1, { seq: 0, epoch: 1 }, []),
        check: () => store.check(s1, 1),
        remove: () => store.remove(s1, 1),
        children: () => store.children(s1),
        pending: () => store.pending(),
        roots: () => store.roots(),
      };
      for (const [name, call] of Object.entries(calls)) await refuses(call(), 'STORE_CLOSED', `${name} after close is refused`);
    },
  },
];
