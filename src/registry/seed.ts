/** What a provider of local children gives a new session to start with. */
import { SubagentError } from '../errors.ts';
import type { SessionEvent } from '../sessions/event.ts';
import { checkedEvent } from '../sessions/event-check.ts';
import { fieldsOf, listOf } from '../sessions/outside.ts';

/**
 * The seed in `spec`, contiguous from sequence 0; none is an empty one. Events of the parent, as they were handed out, are as
 * good as its log; others are copied once they have been understood. Throws `PROVIDER_FAILED`.
 */
export function checkedSeed(spec: unknown, handedOut: ReadonlySet<unknown>): readonly SessionEvent[] {
  const checked = (event: unknown, seq: number) =>
    handedOut.has(event) && (event as SessionEvent).seq === seq ? (event as SessionEvent) : checkedEvent(event, seq);
  try {
    const { seed = [] } = fieldsOf(spec ?? {}, ['seed'], 'what a provider gives');
    return listOf(seed, 'a seed', checked, Number.POSITIVE_INFINITY);
  } catch (fault) {
    throw new SubagentError('PROVIDER_FAILED', 'the seed of a child is a list of sound events, contiguous from sequence 0', {
      cause: fault,
    });
  }
}
