/** Who may write to a session, and who may take it over, as every store keeps it. */
import { expect, test } from 'vitest';
import type { SessionStore } from '../../src/sessions/store.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { child, header, inserted, sessionId } from './samples.ts';

const s1 = sessionId('s1');
const s2 = sessionId('s2');

export function fenceContract(current: () => SessionStore): void {
  test('each claim raises the epoch and fences out every earlier one (I1)', async () => {
    const store = current();
    await store.create(header('s1'), 'a', [inserted('m0')]);
    expect(await store.claim(s1, 'a')).toEqual({ seq: 1, epoch: 2 });
    expect(await store.claim(s1, 'a')).toEqual({ seq: 1, epoch: 3 });
    for (const epoch of [1, 2, 4]) {
      await expect(store.append(s1, { seq: 1, epoch }, [inserted('m1')])).rejects.toMatchObject({ code: 'FENCED' });
      await expect(store.check(s1, epoch)).rejects.toMatchObject({ code: 'FENCED' });
      await expect(store.remove(s1, epoch)).rejects.toMatchObject({ code: 'FENCED' });
    }
    await store.check(s1, 3);
    await store.append(s1, { seq: 1, epoch: 3 }, [inserted('m1')]);
    expect((await store.read(s1)).length).toBe(2);
  });

  test('an append at another number than the next is fenced and writes nothing of its batch (I3)', async () => {
    const store = current();
    await store.create(header('s1'), 'a', [inserted('m0')]);
    for (const seq of [0, 2]) {
      const batch = [inserted('m1'), child('c1'), inserted('m2')];
      await expect(store.append(s1, { seq, epoch: 1 }, batch)).rejects.toMatchObject({ code: 'FENCED' });
    }
    expect(await store.read(s1)).toEqual([{ seq: 0, ...inserted('m0') }]);
    expect(await store.children(s1)).toEqual([]);
    expect((await store.head(s1))?.seq).toBe(1);
  });

  test('what never was a session is fenced for writers', async () => {
    const store = current();
    await expect(store.append(s1, { seq: 0, epoch: 1 }, [])).rejects.toMatchObject({ code: 'FENCED' });
    await expect(store.check(s1, 1)).rejects.toMatchObject({ code: 'FENCED' });
    await expect(store.remove(s1, 1)).rejects.toMatchObject({ code: 'FENCED' });
    await store.handBack(s1, 1);
  });

  test('a removed session is gone from every view, and its id is free', async () => {
    const store = current();
    await store.create(header('s1'), 'a', [inserted('m0'), child('c1')]);
    await store.handBack(s1, 1);
    expect(await store.pending()).toHaveLength(1);
    await store.remove(s1, 1);
    expect(await store.head(s1)).toBeUndefined();
    await expect(store.read(s1)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(await store.roots()).toEqual([]);
    expect(await store.pending()).toEqual([]);
    await expect(store.append(s1, { seq: 2, epoch: 1 }, [])).rejects.toMatchObject({ code: 'FENCED' });
    await store.create(header('s1'), 'a', []);
    expect(await store.read(s1)).toEqual([]);
    expect(await store.children(s1)).toEqual([]);
  });
}

export function leaseContract(current: () => { store: SessionStore; clock: ManualClock }): void {
  test('another owner is refused while the lease runs, and takes the session over when it ends (P20)', async () => {
    const { store, clock } = current();
    const { leaseMs } = store;
    await store.create(header('s1'), 'a', []);
    clock.advance(leaseMs - 1);
    await expect(store.claim(s1, 'b')).rejects.toMatchObject({ code: 'BUSY' });
    expect(await store.head(s1)).toMatchObject({ epoch: 1, owner: 'a' });
    clock.advance(1);
    expect(await store.claim(s1, 'b')).toEqual({ seq: 0, epoch: 2 });
    expect((await store.head(s1))?.owner).toBe('b');
    await expect(store.append(s1, { seq: 0, epoch: 1 }, [inserted('m1')])).rejects.toMatchObject({ code: 'FENCED' });
    await expect(store.claim(s1, 'a')).rejects.toMatchObject({ code: 'BUSY' });
  });

  test('an owner whose lease ended goes on writing until somebody claims the session', async () => {
    const { store, clock } = current();
    const { leaseMs } = store;
    await store.create(header('s1'), 'a', []);
    clock.advance(leaseMs * 5);
    await store.append(s1, { seq: 0, epoch: 1 }, [inserted('m1')]);
    expect(await store.claim(s1, 'b')).toEqual({ seq: 1, epoch: 2 });
  });

  test('one renewal extends the lease on everything the owner has claimed', async () => {
    const { store, clock } = current();
    const { leaseMs } = store;
    await store.create(header('s1'), 'a', []);
    await store.create(header('s2'), 'b', []);
    await store.handBack(s2, 1);
    await store.claim(s2, 'a');
    clock.advance(leaseMs - 1);
    await store.renew('a');
    clock.advance(leaseMs - 1);
    for (const id of [s1, s2]) await expect(store.claim(id, 'b')).rejects.toMatchObject({ code: 'BUSY' });
    clock.advance(1);
    for (const id of [s1, s2]) expect((await store.claim(id, 'b')).epoch).toBeGreaterThan(1);
  });

  test('a claim holds for the whole of leaseMs, whatever its owner claimed before', async () => {
    const { store, clock } = current();
    const { leaseMs } = store;
    await store.create(header('s1'), 'a', []);
    clock.advance(leaseMs - 1);
    await store.create(header('s2'), 'a', []);
    clock.advance(leaseMs - 1);
    await expect(store.claim(s2, 'b')).rejects.toMatchObject({ code: 'BUSY' });
  });

  test('a session that was handed back can be claimed at once', async () => {
    const { store } = current();
    await store.create(header('s1'), 'a', []);
    await store.handBack(s1, 1);
    expect(await store.head(s1)).toEqual({ header: header('s1'), seq: 0, epoch: 1, owner: undefined });
    expect(await store.claim(s1, 'b')).toEqual({ seq: 0, epoch: 2 });
  });

  test('the newest epoch still writes after it was handed back, until somebody claims the session', async () => {
    const { store } = current();
    await store.create(header('s1'), 'a', []);
    await store.handBack(s1, 1);
    await store.append(s1, { seq: 0, epoch: 1 }, [inserted('m1')]);
    await store.claim(s1, 'b');
    await expect(store.append(s1, { seq: 1, epoch: 1 }, [inserted('m2')])).rejects.toMatchObject({ code: 'FENCED' });
  });

  test('handing back an older epoch changes nothing', async () => {
    const { store } = current();
    await store.create(header('s1'), 'a', []);
    await store.claim(s1, 'a');
    await store.handBack(s1, 1);
    expect(await store.head(s1)).toMatchObject({ epoch: 2, owner: 'a' });
    await expect(store.claim(s1, 'b')).rejects.toMatchObject({ code: 'BUSY' });
  });

  test('looking never disturbs an owner (I4)', async () => {
    const { store } = current();
    await store.create(header('s1'), 'a', [inserted('m0'), child('c1')]);
    await Promise.all([store.head(s1), store.read(s1), store.children(s1), store.pending(), store.roots()]);
    expect(await store.head(s1)).toMatchObject({ seq: 2, epoch: 1, owner: 'a' });
    await store.append(s1, { seq: 2, epoch: 1 }, [inserted('m1')]);
  });
}
