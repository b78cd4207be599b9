/** What is written, and how it is read again. */
import type { NewSessionEvent, SessionEvent } from '../../../sessions/event.ts';
import { answerOf, gives, holds, refuses, same } from '../expect.ts';
import { leaseMs, type StoreCase } from './bench.ts';
import { child, claimed, header, inserted, numbered, sessionId, turnStarted } from './samples.ts';

const s1 = sessionId('s1');

export const logCases: readonly StoreCase[] = [
  {
    name: 'it says how long a claim holds',
    async run({ store }) {
      same(store.leaseMs, leaseMs, 'leaseMs is what the store was opened with');
    },
  },
  {
    name: 'a created session has its header, its events numbered from 0, epoch 1 and its owner',
    async run({ store }) {
      const lease = await store.create(header('s1'), 'a', [inserted('m1'), turnStarted]);
      same(lease, { seq: 2, epoch: 1 }, 'create answers with the next number and epoch 1');
      const head = { header: header('s1'), seq: 2, epoch: 1, owner: 'a' };
      await gives(store.head(s1), head, 'the head says what was created');
      await gives(store.read(s1), numbered([inserted('m1'), turnStarted]), 'what create resolved for is in the log (I2)');
    },
  },
  {
    name: 'a session can be created without events',
    async run({ store }) {
      await gives(store.create(header('s1'), 'a', []), { seq: 0, epoch: 1 }, 'create answers with number 0 and epoch 1');
      await gives(store.read(s1), [], 'the log is empty');
    },
  },
  {
    name: 'an id that is taken is refused, whoever asks, and the first session stays as it was',
    async run({ store }) {
      await store.create(header('s1'), 'a', [inserted('m1')]);
      for (const owner of ['b', 'a']) {
        const again = store.create(header('s1', { cwd: '/elsewhere' }), owner, [child('c1'), inserted('m9')]);
        await refuses(again, 'SESSION_EXISTS', 'an id that is taken is refused');
      }
      const head = { header: header('s1'), seq: 1, epoch: 1, owner: 'a' };
      await gives(store.head(s1), head, 'the refused create changed nothing');
      await gives(store.read(s1), numbered([inserted('m1')]), 'the refused create wrote nothing');
      await gives(store.children(s1), [], 'the refused create entered no child');
    },
  },
  {
    name: 'an unknown session has no head, and reading or claiming it is refused',
    async run({ store }) {
      await gives(store.head(s1), undefined, 'there is no head');
      await refuses(store.read(s1), 'SESSION_NOT_FOUND', 'reading an unknown session is refused');
      await refuses(store.children(s1), 'SESSION_NOT_FOUND', 'the catalog of an unknown session is refused');
      await refuses(store.claim(s1, 'a'), 'SESSION_NOT_FOUND', 'claiming an unknown session is refused');
    },
  },
  {
    name: 'appends continue the numbers without a gap, and what an append resolved for is in the log (I2)',
    async run({ store }) {
      const { epoch } = await store.create(header('s1'), 'a', [inserted('m0')]);
      await store.append(s1, { seq: 1, epoch }, [inserted('m1'), inserted('m2')]);
      await store.append(s1, { seq: 3, epoch }, []);
      await store.append(s1, { seq: 3, epoch }, [inserted('m3')]);
      const all = numbered(['m0', 'm1', 'm2', 'm3'].map((id) => inserted(id)));
      await gives(store.read(s1), all, 'the log holds every event once, in order, without a gap');
      same((await store.head(s1))?.seq, 4, 'the head names the next number');
    },
  },
  {
    name: 'a log is read from any number on',
    async run({ store }) {
      const events = ['m0', 'm1', 'm2'].map((id) => inserted(id));
      await store.create(header('s1'), 'a', events);
      for (const from of [0, 1, 2, 3, 9]) {
        await gives(store.read(s1, from), numbered(events).slice(from), `read from ${from} on begins there`);
      }
    },
  },
  {
    name: 'a log is not changed by what its writer or a reader does with the arrays afterwards',
    async run({ store }) {
      const batch = [inserted('m0')];
      const creating = store.create(header('s1'), 'a', batch);
      batch.push(inserted('m9'));
      await creating;
      const more = [inserted('m1')];
      const appending = store.append(s1, { seq: 1, epoch: 1 }, more);
      more[0] = inserted('m9');
      await appending;
      ((await store.read(s1)) as SessionEvent[]).length = 0;
      await gives(store.read(s1), numbered([inserted('m0'), inserted('m1')]), 'the arrays of callers are their own');
    },
  },
  {
    name: 'any text comes back as it was: line separators, NUL, lone surrogates, keys of the language (R7)',
    async run({ store }) {
      const text = 'a\u2028b\u2029c\u0000d\ud800e\udfff😀\ufffd"\\\n';
      const data = JSON.parse('{"__proto__": {"x": 1}, "constructor": "c"}');
      const result = { type: 'result/submitted', time: 0.5, data: { turnId: text, value: { ...data, [text]: text } } } as const;
      await store.create(header('s1', { cwd: text }), 'a', [inserted('m0', { text }), result]);
      same((await store.head(s1))?.header.cwd, text, 'the header comes back as it was');
      await gives(store.read(s1), numbered([inserted('m0', { text }), result]), 'the events come back as they were');
    },
  },
  {
    name: 'a large event and a large batch come back whole',
    async run({ store }) {
      const events = Array.from({ length: 500 }, (_, index) => inserted(`m${index}`));
      await store.create(header('s1'), 'a', []);
      await store.append(s1, { seq: 0, epoch: 1 }, events);
      await store.append(s1, { seq: 500, epoch: 1 }, [inserted('large', { text: 'é'.repeat(500_000) })]);
      const all = numbered([...events, inserted('large', { text: 'é'.repeat(500_000) })]);
      holds(JSON.stringify(await store.read(s1)) === JSON.stringify(all), 'nothing of a large write is lost or cut');
    },
  },
  {
    name: 'a batch with something that JSON cannot hold is taken whole, or refused INVALID_ARGUMENT and nothing of it written (I3)',
    async run({ store }) {
      await store.create(header('s1'), 'a', [inserted('m0')]);
      const odd = { type: 'result/submitted', time: 1, data: { turnId: 't', value: 1n } } as unknown as NewSessionEvent;
      const answer = await answerOf((async () => store.append(s1, { seq: 1, epoch: 1 }, [claimed(['m0']), odd]))());
      if (answer === 'resolved') return;
      same(answer, 'INVALID_ARGUMENT', 'what JSON cannot hold is refused by its code');
      await gives(store.read(s1), numbered([inserted('m0')]), 'a refused append wrote nothing (I3)');
      await store.append(s1, { seq: 1, epoch: 1 }, [claimed(['m0'])]);
      same((await store.head(s1))?.seq, 2, 'the store goes on behind a refused append');
    },
  },
];
