/** What every session store promises (src/sessions/store.ts), sentence by sentence. `I1` to `I5` are the numbers there. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionEvent } from '../../src/sessions/event.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { child, claimed, header, inserted, sessionId, turnStarted } from './samples.ts';
import { fenceContract, leaseContract } from './store-fence-contract.ts';
import { pendingContract } from './store-pending-contract.ts';

/** Opens an empty store. It need not be closed by the caller of this. */
export type OpenStore = (options: { clock: ManualClock; leaseMs: number }) => SessionStore | Promise<SessionStore>;

const leaseMs = 1_000;
const s1 = sessionId('s1');
const s2 = sessionId('s2');

export function storeContract(name: string, open: OpenStore): void {
  describe(name, () => {
    let clock: ManualClock;
    let store: SessionStore;

    beforeEach(async () => {
      clock = manualClock();
      store = await open({ clock, leaseMs });
    });
    afterEach(() => store.close());

    test('a store says how long a claim holds', () => {
      expect(store.leaseMs).toBe(leaseMs);
    });
    logContract(() => store);
    fenceContract(() => store);
    leaseContract(() => ({ store, clock }));
    catalogContract(() => store);
    orderContract(() => store);
    pendingContract(() => ({ store, clock }));
    closeContract(() => store);
  });
}

function logContract(current: () => SessionStore): void {
  test('a created session has its header, its events numbered from 0 and epoch 1', async () => {
    const store = current();
    const lease = await store.create(header('s1'), 'a', [inserted('m1'), turnStarted]);
    expect(lease).toEqual({ seq: 2, epoch: 1 });
    expect(await store.head(s1)).toEqual({ header: header('s1'), seq: 2, epoch: 1, owner: 'a' });
    expect(await store.read(s1)).toEqual([
      { seq: 0, ...inserted('m1') },
      { seq: 1, ...turnStarted },
    ]);
  });

  test('a session can be created without events', async () => {
    const store = current();
    expect(await store.create(header('s1'), 'a', [])).toEqual({ seq: 0, epoch: 1 });
    expect(await store.read(s1)).toEqual([]);
  });

  test('an id that is taken is refused, and the first session stays as it was', async () => {
    const store = current();
    await store.create(header('s1'), 'a', [inserted('m1')]);
    await expect(store.create(header('s1', { cwd: '/elsewhere' }), 'b', [])).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    expect(await store.head(s1)).toEqual({ header: header('s1'), seq: 1, epoch: 1, owner: 'a' });
  });

  test('an unknown session has no head, and reading it is refused', async () => {
    const store = current();
    expect(await store.head(s1)).toBeUndefined();
    await expect(store.read(s1)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(store.children(s1)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(store.claim(s1, 'a')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('appends continue the numbers without a gap (I1 of the log)', async () => {
    const store = current();
    const { epoch } = await store.create(header('s1'), 'a', [inserted('m0')]);
    await store.append(s1, { seq: 1, epoch }, [inserted('m1'), inserted('m2')]);
    await store.append(s1, { seq: 3, epoch }, []);
    await store.append(s1, { seq: 3, epoch }, [inserted('m3')]);
    expect((await store.read(s1)).map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    expect(await store.read(s1, 2)).toEqual([
      { seq: 2, ...inserted('m2') },
      { seq: 3, ...inserted('m3') },
    ]);
    expect(await store.read(s1, 9)).toEqual([]);
  });

  test('a log is not changed by what its writer or a reader does with the arrays afterwards', async () => {
    const store = current();
    const batch = [inserted('m0')];
    const creating = store.create(header('s1'), 'a', batch);
    batch.push(inserted('m9'));
    await creating;
    const more = [inserted('m1')];
    const appending = store.append(s1, { seq: 1, epoch: 1 }, more);
    more[0] = inserted('m9');
    await appending;
    ((await store.read(s1)) as SessionEvent[]).length = 0;
    expect(await store.read(s1)).toEqual([
      { seq: 0, ...inserted('m0') },
      { seq: 1, ...inserted('m1') },
    ]);
  });

  test('any text comes back as it was: line separators, NUL, lone surrogates, keys of the language (R7)', async () => {
    const store = current();
    const text = 'a\u2028b\u2029c\u0000d\ud800e\udfff😀\ufffd"\\\n';
    const data = JSON.parse('{"__proto__": {"x": 1}, "constructor": "c"}');
    const result = { type: 'result/submitted', time: 0.5, data: { turnId: text, value: { ...data, [text]: text } } } as const;
    await store.create(header('s1', { cwd: text }), 'a', [inserted('m0', { text }), result]);
    expect((await store.head(s1))?.header.cwd).toBe(text);
    expect(await store.read(s1)).toEqual([
      { seq: 0, ...inserted('m0', { text }) },
      { seq: 1, ...result },
    ]);
  });
}

function catalogContract(current: () => SessionStore): void {
  test('the catalog lists the children in event order', async () => {
    const store = current();
    await store.create(header('s1'), 'a', [child('c9'), inserted('m0'), child('c1')]);
    await store.append(s1, { seq: 3, epoch: 1 }, [turnStarted, child('c5')]);
    expect(await store.children(s1)).toEqual([
      { seq: 0, ...child('c9') },
      { seq: 2, ...child('c1') },
      { seq: 4, ...child('c5') },
    ]);
  });

  test('children inherited from a fork seed are not the child’s own (S6.1)', async () => {
    const store = current();
    const seeded = header('s1', { isSeeded: true, inheritedEvents: 2 });
    await store.create(seeded, 'a', [child('c1'), inserted('m0'), child('c2')]);
    await store.append(s1, { seq: 3, epoch: 1 }, [child('c3')]);
    expect((await store.children(s1)).map(({ data }) => data.id)).toEqual(['c2', 'c3']);
  });

  test('the roots are the top-level sessions, oldest first', async () => {
    const store = current();
    await store.create(header('s3', { createdAt: 30 }), 'a', []);
    await store.create(header('s1', { createdAt: 10 }), 'a', []);
    await store.create(header('below', { createdAt: 5, delegationDepth: 1, parentSession: s1, origin: 'subagent' }), 'a', []);
    await store.create(header('s2', { createdAt: 20 }), 'a', [inserted('m0')]);
    expect((await store.roots()).map((head) => head.header.id)).toEqual(['s1', 's2', 's3']);
    expect((await store.roots())[1]).toEqual({ header: header('s2', { createdAt: 20 }), seq: 1, epoch: 1, owner: 'a' });
  });
}

function orderContract(current: () => SessionStore): void {
  test('calls issued without awaiting take effect in the order of their issue, reads among them (I5)', async () => {
    const store = current();
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
    expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.code))).toEqual([
      { seq: 1, epoch: 1 },
      [{ seq: 0, ...inserted('m0') }],
      undefined,
      { header: header('s1'), seq: 2, epoch: 1, owner: 'a' },
      [{ seq: 1, ...child('c1') }],
      'BUSY',
      undefined,
      { seq: 2, epoch: 2 },
      'FENCED',
      undefined,
      undefined,
      [{ seq: 2, ...claimed(['m0']) }],
      { seq: 0, epoch: 1 },
      undefined,
      undefined,
    ]);
  });
}

function closeContract(current: () => SessionStore): void {
  test('closing waits for what was issued; later calls are refused; closing again changes nothing', async () => {
    const store = current();
    const creating = store.create(header('s1'), 'a', []);
    const closing = store.close();
    expect(await creating).toEqual({ seq: 0, epoch: 1 });
    await closing;
    await store.close();
    const calls = [
      store.head(s1),
      store.read(s1),
      store.create(header('s2'), 'a', []),
      store.claim(s1, 'a'),
      store.renew('a'),
      store.handBack(s1, 1),
      store.append(s1, { seq: 0, epoch: 1 }, []),
      store.check(s1, 1),
      store.remove(s1, 1),
      store.children(s1),
      store.pending(),
      store.roots(),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });
}
