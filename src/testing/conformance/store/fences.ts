/** Who may write. */
import { answerOf, gives, refuses, same } from '../expect.ts';
import type { StoreCase } from './bench.ts';
import { child, header, inserted, numbered, sessionId } from './samples.ts';

const s1 = sessionId('s1');

export const fenceCases: readonly StoreCase[] = [
  {
    name: 'each claim has an epoch of its own, higher than every earlier one, and fences them out (I1)',
    async run({ store }) {
      await store.create(header('s1'), 'a', [inserted('m0')]);
      await gives(store.claim(s1, 'a'), { seq: 1, epoch: 2 }, 'a claim raises the epoch and names the next number (I1)');
      await gives(store.claim(s1, 'a'), { seq: 1, epoch: 3 }, 'the same owner may claim again, under a new epoch (I1)');
      for (const epoch of [1, 2, 4]) {
        const at = `epoch ${epoch} while 3 is the newest`;
        await refuses(
          store.append(s1, { seq: 1, epoch }, [inserted('m1')]),
          'FENCED',
          `only the newest epoch appends (I1): ${at}`,
        );
        await refuses(store.check(s1, epoch), 'FENCED', `check rejects an epoch that is not the newest: ${at}`);
        await refuses(store.remove(s1, epoch), 'FENCED', `only the newest epoch removes: ${at}`);
      }
      await store.check(s1, 3);
      await store.append(s1, { seq: 1, epoch: 3 }, [inserted('m1')]);
      await gives(store.read(s1), numbered([inserted('m0'), inserted('m1')]), 'the newest epoch writes, and only it');
    },
  },
  {
    name: 'an epoch is never used again, also after it was handed back (I1)',
    async run({ store }) {
      await store.create(header('s1'), 'a', []);
      const epochs = [1];
      for (const owner of ['b', 'a', 'b']) {
        await store.handBack(s1, epochs.at(-1) ?? 0);
        const { epoch } = await store.claim(s1, owner);
        same(epoch > (epochs.at(-1) ?? 0), true, `the epoch of a claim is higher than those before, ${epochs.join(', ')} (I1)`);
        epochs.push(epoch);
      }
      same((await store.head(s1))?.epoch, epochs.at(-1), 'the head says the newest epoch');
    },
  },
  {
    name: 'an append at another number than the next is fenced and writes nothing of its batch (I3)',
    async run({ store }) {
      await store.create(header('s1'), 'a', [inserted('m0')]);
      for (const seq of [0, 5]) {
        const batch = [inserted('m1'), child('c1'), inserted('m2')];
        await refuses(
          store.append(s1, { seq, epoch: 1 }, batch),
          'FENCED',
          `append checks the sequence number: ${seq} instead of 1`,
        );
      }
      await gives(store.read(s1), numbered([inserted('m0')]), 'a rejected append wrote nothing (I3)');
      await gives(store.children(s1), [], 'a rejected append entered no child (I3)');
      same((await store.head(s1))?.seq, 1, 'a rejected append moved no number (I3)');
    },
  },
  {
    name: 'of two writers at the same number one wins, and the log holds the batch of that one alone (I1)',
    async run({ store }) {
      await store.create(header('s1'), 'a', []);
      const batches = [[inserted('x1'), inserted('x2')], [inserted('y1')]];
      const answers = await Promise.all(batches.map((batch) => answerOf(store.append(s1, { seq: 0, epoch: 1 }, batch))));
      same(answers, ['resolved', 'FENCED'], 'the first append wins, the second finds the number taken (I5)');
      await gives(store.read(s1), numbered(batches[0] ?? []), 'the log holds what was acknowledged and nothing else');
    },
  },
  {
    name: 'what never was a session is fenced for writers, and handing it back does nothing',
    async run({ store }) {
      await refuses(store.append(s1, { seq: 0, epoch: 1 }, []), 'FENCED', 'appending to no session is fenced');
      await refuses(store.check(s1, 1), 'FENCED', 'checking no session is fenced');
      await refuses(store.remove(s1, 1), 'FENCED', 'removing no session is fenced');
      await store.handBack(s1, 1);
      await gives(store.head(s1), undefined, 'none of it made a session');
    },
  },
  {
    name: 'a removed session is gone from every view, and its id is free',
    async run({ store }) {
      await store.create(header('s1'), 'a', [inserted('m0'), child('c1')]);
      await store.handBack(s1, 1);
      same((await store.pending()).length, 1, 'it owes something before it is removed');
      await store.remove(s1, 1);
      await gives(store.head(s1), undefined, 'a removed session has no head');
      await refuses(store.read(s1), 'SESSION_NOT_FOUND', 'a removed session cannot be read');
      await gives(store.roots(), [], 'a removed session is no root');
      await gives(store.pending(), [], 'a removed session owes nothing');
      await refuses(store.append(s1, { seq: 2, epoch: 1 }, []), 'FENCED', 'a removed session takes nothing');
      await store.create(header('s1'), 'a', []);
      await gives(store.read(s1), [], 'nothing of the removed log is left');
      await gives(store.children(s1), [], 'nothing of the removed catalog is left');
    },
  },
];
