/** Every session that the store of a run holds, also those that nobody lists. */
import type { SessionId } from '../../sessions/ids.ts';
import type { RecordedSession } from '../trace/trace.ts';
import type { Simulation } from './simulation.ts';

export async function recordedSessions({ database }: Simulation): Promise<readonly RecordedSession[]> {
  const sessions: RecordedSession[] = [];
  for (const id of database.created) {
    const head = await database.image.head(id as SessionId);
    if (head !== undefined) sessions.push({ header: head.header, events: await database.image.read(id as SessionId) });
  }
  return sessions;
}
