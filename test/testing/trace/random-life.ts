/** The whole of a random life on a store that does not fail, and everything that was written in it, in order. */
import type { NewSessionEvent, SessionHeader } from '../../../src/sessions/event.ts';
import type { SessionId } from '../../../src/sessions/ids.ts';
import type { RecordedSession } from '../../../src/testing/trace/trace.ts';
import { RandomProgram } from '../../simulation/random-program.ts';

export interface RandomLife {
  readonly sessions: Readonly<Record<string, RecordedSession>>;
  readonly writes: readonly { readonly header: SessionHeader; readonly events: readonly NewSessionEvent[] }[];
}

export async function recordLife(seed: number): Promise<RandomLife> {
  const program = new RandomProgram(seed);
  const { store } = program.world;
  store.inject = () => undefined;
  await program.run();
  const sessions: Record<string, RecordedSession> = {};
  for (const { method, session } of store.calls) {
    const head = method === 'create' ? await store.inner.head(session as SessionId) : undefined;
    if (head !== undefined) sessions[head.header.id] = { header: head.header, events: await store.inner.read(head.header.id) };
  }
  // a session that was removed again has no header any more, and nothing of it was ever announced
  const writes = store.calls.flatMap(({ method, session = '', events, state }) => {
    const header = sessions[session]?.header;
    const isWrite = (method === 'create' || method === 'append') && state === 'resolved';
    return isWrite && header !== undefined ? [{ header, events }] : [];
  });
  return { sessions, writes };
}
