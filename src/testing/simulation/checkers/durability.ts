/** What was acknowledged stays, and only the newest claim of a session writes (R1, R4, S10.1, S10.2). */
import type { SessionId } from '../../../sessions/ids.ts';
import { type StoreCall, sessionOf } from '../journal-entry.ts';
import type { Checker, Simulation } from '../simulation.ts';

interface Known {
  /** Events that somebody was told are on disk; -1 if nobody was told that the session is. */
  acknowledged: number;
  /** Of the newest claim. Unknown for a moment after a power cut. */
  epoch: number | undefined;
  isRemoved: boolean;
}

export function durabilityChecker(simulation: Simulation): Checker {
  const sessions = new Map<string, Known>();
  const known = (id: string) => {
    const found = sessions.get(id) ?? { acknowledged: -1, epoch: undefined, isRemoved: false };
    sessions.set(id, found);
    return found;
  };

  async function compare(): Promise<void> {
    for (const [id, { acknowledged, isRemoved }] of sessions) {
      if (isRemoved || acknowledged < 0) continue;
      const head = await simulation.database.image.head(id as SessionId);
      if (head === undefined) simulation.say(`session ${id} was acknowledged and is gone`);
      else if (head.seq < acknowledged)
        simulation.say(`${acknowledged} events of session ${id} were acknowledged, ${head.seq} are there`);
    }
  }

  return {
    stored(call, error) {
      const id = sessionOf(call);
      if (error !== undefined || id === undefined) return;
      const session = known(id);
      if (call.method === 'create') Object.assign(session, { epoch: 1, isRemoved: false, acknowledged: -1 });
      if (call.method === 'claim') session.epoch = session.epoch === undefined ? undefined : session.epoch + 1;
      if (call.method === 'append' && session.epoch !== undefined && call.lease.epoch !== session.epoch)
        simulation.say(`epoch ${call.lease.epoch} of session ${id} wrote after epoch ${session.epoch} had begun`);
      if (call.method === 'remove') session.isRemoved = true;
    },
    answered(call: StoreCall) {
      if (call.method === 'create') known(call.header.id).acknowledged = call.events.length;
      if (call.method === 'append') {
        const session = known(call.id);
        session.acknowledged = Math.max(session.acknowledged, call.lease.seq + call.events.length);
      }
    },
    async reopened() {
      const { image } = simulation.database;
      for (const session of sessions.values()) session.epoch = undefined;
      await compare();
      // a claim that the power cut undid never was
      for (const [id, session] of sessions) session.epoch ??= (await image.head(id as SessionId))?.epoch;
    },
    ended: compare,
  };
}
