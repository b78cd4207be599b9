/** Calls that nobody waits for. */
import { errorCode } from '../../../errors.ts';
import { gives, same } from '../expect.ts';
import type { StoreCase } from './bench.ts';
import { child, claimed, header, inserted, numbered, sessionId } from './samples.ts';

const s1 = sessionId('s1');
const s2 = sessionId('s2');

export const orderCases: readonly StoreCase[] = [
  {
    name: 'calls issued without awaiting take effect in the order of their issue, reads among them (I5)',
    async run({ store }) {
      const answers = await Promise.allSettled([
        store.create(header('s1'), 'a', [inserted('m0')]),
        store.read(s1),
        store.append(s1, { seq: 1, epoch: 1 }, [child('c1')]),
        store.head(s1),
        store.children(s1),
        store.claim(s1, 'b'),
        store.handBack(s1, 1),
        store.claim(s1, 'b'),
        store.append(s1, { seq: 2, epoch: 1 }, [inserted('m1')]),
        store.check(s1, 2),
        store.append(s1, { seq: 2, epoch: 2 }, [claimed(['m0'])]),
        store.read(s1, 2),
        store.create(header('s2'), 'b', []),
        store.remove(s2, 1),
        store.head(s2),
      ]);
      const expected = [
        { seq: 1, epoch: 1 },
        numbered([inserted('m0')]),
        undefined,
        { header: header('s1'), seq: 2, epoch: 1, owner: 'a' },
        [{ seq: 1, ...child('c1') }],
        'BUSY',
        undefined,
        { seq: 2, epoch: 2 },
        'FENCED',
        undefined,
        undefined,
        numbered([claimed(['m0'])], 2),
        { seq: 0, epoch: 1 },
        undefined,
        undefined,
      ];
      const said = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : errorCode(answer.reason)));
      for (const [index, one] of expected.entries())
        same(said[index], one, `call ${index + 1} of 15 is answered in its turn (I5)`);
    },
  },
  {
    name: 'a hundred appends that nobody waits for are in the log in the order of their issue (I5)',
    async run({ store }) {
      await store.create(header('s1'), 'a', []);
      const events = Array.from({ length: 100 }, (_, index) => inserted(`m${index}`));
      await Promise.all(events.map((event, seq) => store.append(s1, { seq, epoch: 1 }, [event])));
      await gives(store.read(s1), numbered(events), 'appends keep the order of their issue (I5)');
    },
  },
];
