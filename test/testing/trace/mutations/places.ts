/** Places in the recorded tree that several mutations need. */
import type { Draft } from '../draft.ts';

/** Where the root lists the child. */
export function listing(draft: Draft, label: string): number {
  const id = draft.id(label);
  return draft.session('root').events.findIndex((event) => event.type === 'subagent/child' && event.data.id === id);
}

/** Where the root hears of the first end of the worker. */
export function notice(draft: Draft): number {
  return draft.place('root', 'inbox/inserted', 2);
}

export function lateMessage(messageId: string) {
  const source = { kind: 'user', form: 'prompt' };
  return { type: 'inbox/inserted', data: { messageId, lane: 'turn', wakes: true, source, content: [] } } as const;
}
