/** What a session owes, as every store counts it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NewSessionEvent } from '../../src/sessions/event.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { child, claimed, header, inserted, messageId, sessionId, turnEnded, turnStarted } from './samples.ts';

/** One thing that can happen to a session; `pick` chooses among the messages that wait. */
type Step = { readonly kind: StepKind; readonly pick: number; readonly flag: boolean };
const stepKinds = ['insert', 'claim', 'discard', 'edit', 'promote', 'start', 'end', 'seal', 'deliver', 'child'] as const;
type StepKind = (typeof stepKinds)[number];

const steps = fc.array(fc.record({ kind: fc.constantFrom(...stepKinds), pick: fc.nat(9), flag: fc.boolean() }), {
  maxLength: 40,
});

export function pendingContract(current: () => { store: SessionStore; clock: ManualClock }): void {
  test('pending lists a session with unclaimed input, until the input is claimed (S10.1)', async () => {
    const { store } = current();
    const id = sessionId('s1');
    await store.create(header('s1'), 'a', [inserted('m1'), inserted('m2')]);
    await store.handBack(id, 1);
    const unclaimed = (count: number) => [
      { header: header('s1'), pending: { unclaimed: count, hasOpenTurn: false, hasUndeliveredNotice: false } },
    ];
    expect(await store.pending()).toEqual(unclaimed(2));
    await store.append(id, { seq: 2, epoch: 1 }, [claimed(['m1'])]);
    expect(await store.pending()).toEqual(unclaimed(1));
    await store.append(id, { seq: 3, epoch: 1 }, [claimed(['m2'])]);
    expect(await store.pending()).toEqual([]);
  });

  test('pending lists a child from its first input until its parent is told of its end, a top-level session not (P01, S3.9)', async () => {
    const { store } = current();
    const end = (notice?: string): NewSessionEvent => ({
      type: 'activation/ended',
      time: 5,
      data: { runId: 'r', epoch: 1, stopReason: 'completed', ...(notice !== undefined && { notice: messageId(notice) }) },
    });
    const delivered: NewSessionEvent = { type: 'notice/delivered', time: 6, data: { notice: messageId('c:1') } };
    const lives: NewSessionEvent[][] = [[inserted('m1')], [claimed(['m1']), turnStarted], [turnEnded], [end('c:1')], [delivered]];
    for (const [name, delegationDepth, owing] of [
      ['c', 1, 4],
      ['r', 0, 2],
    ] as const) {
      const id = sessionId(name);
      await store.create(header(name, { delegationDepth }), 'a', []);
      await store.handBack(id, 1);
      let seq = 0;
      for (const [step, events] of lives.entries()) {
        if (name === 'r' && step > 2) break;
        await store.append(id, { seq, epoch: 1 }, events);
        seq += events.length;
        expect(
          (await store.pending()).map((one) => one.header.id),
          `${name} after step ${step}`,
        ).toEqual(step < owing ? [id] : []);
      }
    }
  });

  test('pending leaves out what a live owner holds, and lists it when the lease ends (P20)', async () => {
    const { store, clock } = current();
    await store.create(header('s1'), 'a', [inserted('m1')]);
    expect(await store.pending()).toEqual([]);
    clock.advance(store.leaseMs);
    expect((await store.pending()).map((one) => one.header.id)).toEqual(['s1']);
    await store.claim(sessionId('s1'), 'b');
    expect(await store.pending()).toEqual([]);
  });

  test('what is owed equals a fold over the own events, however they are cut into batches and wherever the seed ends', async () => {
    const { store } = current();
    let runs = 0;
    const property = fc.asyncProperty(steps, fc.nat(10), fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), check);
    async function check(plan: readonly Step[], seed: number, cuts: readonly number[]): Promise<void> {
      const own = eventsOf(plan);
      const inherited = [inserted('old'), turnStarted, child('old'), claimed(['older'])].slice(0, seed);
      const name = `s${runs++}`;
      const first = own.slice(0, cuts[0]);
      const delegationDepth = runs % 2;
      const made = header(name, { inheritedEvents: inherited.length, delegationDepth });
      const lease = await store.create(made, 'a', [...inherited, ...first]);
      let { seq } = lease;
      for (let at = first.length, cut = 1; at < own.length; cut++) {
        const batch = own.slice(at, at + (cuts[cut % cuts.length] ?? 1));
        await store.append(sessionId(name), { seq, epoch: 1 }, batch);
        seq += batch.length;
        at += batch.length;
      }
      await store.handBack(sessionId(name), 1);
      const listed = (await store.pending()).find((one) => one.header.id === name);
      expect(listed?.pending).toEqual(owedBy(own, delegationDepth > 0));
    }
    await fc.assert(property, { numRuns: 60 });
  });
}

/** Turns steps into events that a runtime could write: only waiting messages are claimed, only open turns end. */
function eventsOf(plan: readonly Step[]): NewSessionEvent[] {
  const events: NewSessionEvent[] = [];
  let waiting: { id: string; wakes: boolean }[] = [];
  let isOpen = false;
  let notices = 0;
  const take = (pick: number) => {
    const taken = waiting.slice(0, 1 + (pick % 3));
    waiting = waiting.slice(taken.length);
    return { messageIds: taken.map(({ id }) => messageId(id)), waking: taken.filter(({ wakes }) => wakes).length };
  };
  for (const [index, { kind, pick, flag }] of plan.entries()) {
    const time = index;
    switch (kind) {
      case 'insert':
        waiting.push({ id: `m${index}`, wakes: flag });
        events.push(inserted(`m${index}`, { wakes: flag }));
        break;
      case 'claim':
        if (waiting.length > 0) events.push({ type: 'inbox/claimed', time, data: { ...take(pick), turnId: 't' } });
        break;
      case 'discard':
        if (waiting.length > 0) events.push({ type: 'inbox/discarded', time, data: { ...take(pick), reason: 'disposed' } });
        break;
      case 'edit':
        if (waiting[0]) events.push({ type: 'inbox/edited', time, data: { messageId: messageId(waiting[0].id), content: [] } });
        break;
      case 'promote':
        if (waiting[0]) events.push({ type: 'inbox/promoted', time, data: { messageId: messageId(waiting[0].id) } });
        break;
      case 'start':
        if (!isOpen) events.push(turnStarted);
        isOpen = true;
        break;
      case 'end':
        if (isOpen) events.push(turnEnded);
        isOpen = false;
        break;
      case 'seal': {
        const sealed = { runId: 'r', epoch: 1, stopReason: 'completed' } as const;
        events.push({ type: 'activation/ended', time, data: flag ? { ...sealed, notice: messageId(`n${++notices}`) } : sealed });
        break;
      }
      case 'deliver':
        if (notices > 0) events.push({ type: 'notice/delivered', time, data: { notice: messageId(`n${notices}`) } });
        break;
      case 'child':
        events.push(child(`c${index}`));
    }
  }
  return events;
}

/** The same question answered the slow way: who waits, by name. Undefined if nothing is owed. */
function owedBy(events: readonly NewSessionEvent[], isChild: boolean) {
  const waiting = new Map<string, boolean>();
  for (const event of events) {
    if (event.type === 'inbox/inserted') waiting.set(event.data.messageId, event.data.wakes);
    if (event.type !== 'inbox/claimed' && event.type !== 'inbox/discarded') continue;
    for (const id of event.data.messageIds) waiting.delete(id);
  }
  const types = events.map(({ type }) => type);
  const lastWork = events.findLastIndex(
    (event) => event.type === 'turn/started' || (event.type === 'inbox/inserted' && event.data.wakes),
  );
  const lastEnd = events.findLastIndex((event) => event.type === 'activation/ended');
  const lastTold = types.lastIndexOf('notice/delivered');
  const end = events[lastEnd];
  const isUntold = end?.type === 'activation/ended' && end.data.notice !== undefined && lastEnd > lastTold;
  const owed = {
    unclaimed: [...waiting.values()].filter((wakes) => wakes).length,
    hasOpenTurn: types.lastIndexOf('turn/started') > types.lastIndexOf('turn/ended'),
    hasUndeliveredNotice: isUntold || (isChild && lastWork > Math.max(lastEnd, lastTold)),
  };
  return owed.unclaimed > 0 || owed.hasOpenTurn || owed.hasUndeliveredNotice ? owed : undefined;
}
