/** Two folds say what a session owes: the store's, kept up with each append, and the one of the whole log. They must agree (P15). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NewSessionEvent, SessionEvent } from '../../src/sessions/event.ts';
import { foldSession } from '../../src/sessions/fold.ts';
import { nothingPending, type Pending, pendingAfter } from '../../src/sessions/pending.ts';
import { header, messageId } from './samples.ts';

const steps = ['wake', 'park', 'claim', 'discard', 'end turn', 'child', 'seal', 'end untold', 'told', 'say'] as const;
type Step = (typeof steps)[number];

/** A log as a runtime could write it: a step that is not possible now writes nothing. */
class Log {
  readonly events: SessionEvent[] = [];
  #waiting: { id: string; wakes: boolean }[] = [];
  #isTurnOpen = false;
  #owed: string | undefined;
  #count = 0;

  take(step: Step): void {
    const name = `${step} ${++this.#count}`;
    const turnId = 'a turn';
    if (step === 'wake' || step === 'park') {
      const wakes = step === 'wake';
      this.#waiting.push({ id: name, wakes });
      if (wakes) this.#owed = undefined;
      const source = { kind: 'user', form: 'prompt' } as const;
      this.#write('inbox/inserted', { messageId: messageId(name), lane: 'step', wakes, source, content: [] });
    } else if (step === 'claim' && !this.#isTurnOpen && this.#waiting.some(({ wakes }) => wakes)) {
      this.#write('inbox/claimed', { ...this.#removed(), turnId });
      this.#write('turn/started', { turnId, epoch: 1 });
      this.#isTurnOpen = true;
      this.#owed = undefined;
    } else if (step === 'discard' && this.#waiting.length > 0) {
      this.#write('inbox/discarded', { ...this.#removed(), reason: 'removed' });
    } else if (step === 'end turn' && this.#isTurnOpen) {
      this.#write('turn/ended', { turnId, stopReason: 'completed' });
      this.#isTurnOpen = false;
    } else if (step === 'child') {
      this.#write('subagent/child', { id: name, mode: 'external', createdAt: 0 });
    } else if ((step === 'seal' || step === 'end untold') && !this.#isTurnOpen) {
      this.#owed = step === 'seal' ? name : undefined;
      const notice = this.#owed === undefined ? {} : { notice: messageId(name) };
      this.#write('activation/ended', { runId: 'a run', epoch: 1, stopReason: 'completed', ...notice });
    } else if (step === 'told' && this.#owed !== undefined && this.events.at(-1)?.type === 'activation/ended') {
      this.#write('notice/delivered', { notice: messageId(this.#owed) });
      this.#owed = undefined;
    } else if (step === 'say' && this.#isTurnOpen) {
      this.#write('assistant/message', { turnId, content: [{ type: 'text', text: name }] });
    }
  }

  #removed() {
    const removed = this.#waiting;
    this.#waiting = [];
    return { messageIds: removed.map(({ id }) => messageId(id)), waking: removed.filter(({ wakes }) => wakes).length };
  }

  #write<Type extends NewSessionEvent['type']>(type: Type, data: Extract<NewSessionEvent, { type: Type }>['data']): void {
    this.events.push({ type, time: 0, data, seq: this.events.length } as unknown as SessionEvent);
  }
}

/** What the fold of the whole log says a child owes. */
function owedBy(events: readonly SessionEvent[]): Pending {
  const { unclaimed, openTurn, undelivered, unended } = foldSession(header('a', { delegationDepth: 1 }), events);
  return {
    unclaimed: unclaimed.filter(({ wakes }) => wakes).length,
    hasOpenTurn: openTurn !== undefined,
    hasUndeliveredNotice: undelivered !== undefined || unended !== undefined,
  };
}

test('a child that was attached behind a seal leaves the end owed in both', () => {
  const log = new Log();
  for (const step of ['wake', 'claim', 'end turn', 'seal', 'child'] as const) log.take(step);
  expect(owedBy(log.events)).toEqual(pendingAfter({ delegationDepth: 1 }, nothingPending, log.events));
  expect(owedBy(log.events).hasUndeliveredNotice).toBe(true);
});

test('both folds agree behind every event of every log that a runtime could write (2,000 random logs)', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...steps), { maxLength: 40 }), (taken) => {
      const log = new Log();
      for (const step of taken) log.take(step);
      let pending = nothingPending;
      for (const [index, event] of log.events.entries()) {
        pending = pendingAfter({ delegationDepth: 1 }, pending, [event]);
        expect(owedBy(log.events.slice(0, index + 1))).toEqual(pending);
      }
    }),
    { numRuns: 2_000 },
  );
});
