import { expect, it } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { Session } from '../../src/sessions/session.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { header, inserted } from './samples.ts';

it('answers what was appended in the order in which it is in the log, also across batches (R3, P14)', async () => {
  const store = memoryStore();
  const lease = await store.create(header('ordered'), 'owner', []);
  const answered: string[] = [];
  const numbers: number[] = [];
  const append = (id: string) =>
    session.append([inserted(id)]).then((seq) => {
      answered.push(id);
      numbers.push(seq);
    });
  const work: Promise<void>[] = [];
  let writes = 0;
  const busy = {
    ...store,
    append: ((id, at, events) => {
      if (++writes === 2) work.push(append('m4')); // while the batch of m2 and m3 is on its way
      return store.append(id, at, events);
    }) satisfies typeof store.append,
  };
  const session = new Session({
    ...{ store: busy, clock: systemClock, appendMs: 1_000, header: header('ordered'), lease, onLost: () => undefined },
  });
  work.push(append('m1'), append('m2'), append('m3'));
  await Promise.all(work);
  await Promise.all(work);
  expect(answered).toEqual(['m1', 'm2', 'm3', 'm4']);
  expect(numbers).toEqual([0, 1, 2, 3]);
  const stored = await store.read(header('ordered').id);
  expect(stored.flatMap((event) => (event.type === 'inbox/inserted' ? [event.data.messageId as string] : []))).toEqual(answered);
});

it('writes nothing of what was appended behind a write that is refused, and goes on from the same place (I3)', async () => {
  const store = memoryStore();
  const lease = await store.create(header('refused'), 'owner', []);
  let writes = 0;
  const full = {
    ...store,
    append: ((id, at, events) =>
      ++writes === 1
        ? Promise.reject(new SubagentError('STORE_FULL', 'the disk is full'))
        : store.append(id, at, events)) satisfies typeof store.append,
  };
  const session = new Session({
    ...{ store: full, clock: systemClock, appendMs: 1_000, header: header('refused'), lease, onLost: () => undefined },
  });
  const answers = await Promise.allSettled(['m1', 'm2', 'm3'].map((id) => session.append([inserted(id)])));
  expect(answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'done'))).toEqual(
    Array.from({ length: 3 }, () => 'STORE_FULL'),
  );
  expect(await session.append([inserted('m4')])).toBe(0);
  expect((await store.read(header('refused').id)).map(({ seq }) => seq)).toEqual([0]);
});

it('reads what it does not know once, also for two that ask at the same time (R2)', async () => {
  const store = memoryStore();
  const lease = await store.create(header('read'), 'owner', [inserted('m1'), inserted('m2'), inserted('m3')]);
  const session = new Session({
    ...{ store, clock: systemClock, appendMs: 1_000, header: header('read'), lease, onLost: () => undefined },
  });
  session.know((await store.read(header('read').id)).slice(0, 1));
  const [one, other] = await Promise.all([session.events(), session.events()]);
  expect([one, other].map((events) => events.map(({ seq }) => seq))).toEqual([
    [0, 1, 2],
    [0, 1, 2],
  ]);
  await session.append([inserted('m4')]);
  expect((await session.events()).map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
});
