/** What a provider of local children gives a new session to start with. */
import { SubagentError } from '../errors.ts';
import type { SessionEvent } from '../sessions/event.ts';
import { checkedEvent } from '../sessions/event-check.ts';
import { fieldsOf, listOf } from '../sessions/outside.ts';

/**
 * The seed in `spec`, contiguous from sequence 0 and up to the end of a turn; none is an empty one. Events of the parent, as they were handed out, are as
 * good as its log; others are copied once they have been understood. Throws `PROVIDER_FAILED`.
 */
export function checkedSeed(spec: unknown, handedOut: ReadonlySet<unknown>): readonly SessionEvent[] {
  const checked = (event: unknown, seq: number) =>
    handedOut.has(event) && (event as SessionEvent).seq === seq ? (event as SessionEvent) : checkedEvent(event, seq);
  try {
    const { seed = [] } = fieldsOf(spec ?? {}, ['seed'], 'what a provider gives');
    const events = listOf(seed, 'a seed', checked, Number.POSITIVE_INFINITY);
    if (events.length > 0 && events.at(-1)?.type !== 'turn/ended')
      throw new SubagentError('INVALID_ARGUMENT', 'a seed consists of whole turns');
    return events;
  } catch (fault) {
    const what = 'the seed of a child is a list of sound events, contiguous from sequence 0, up to the end of a turn';
    throw new SubagentError('PROVIDER_FAILED', what, { cause: fault });
  }
}
