/**
 * Nothing is taken from a live owner, neither by another nor by itself; whoever holds something renews its lease; and whoever
 * has closed holds nothing any more (S10.1, S10.2, R4, R16).
 */
import type { SessionId } from '../../../sessions/ids.ts';
import type { OwnerId } from '../../../sessions/store.ts';
import { type StoreCall, sessionOf } from '../journal-entry.ts';
import type { SimulatedProcess } from '../process.ts';
import type { Checker, Simulation } from '../simulation.ts';

interface Hold {
  owner: OwnerId | undefined;
  epoch: number;
}

/** Leases after which an owner that could have renewed is late: a few renewals may be refused. */
const leasesMax = 2;

export function leasesChecker(simulation: Simulation, leaseMs: number): Checker {
  const holds = new Map<string, Hold>();
  /** Until when, on the wall. */
  const leases = new Map<OwnerId, number>();
  /** When it was last renewed, in milliseconds of the run. */
  const renewed = new Map<OwnerId, number>();
  let looked = 0;

  function renew(owner: OwnerId): void {
    leases.set(owner, simulation.wall() + leaseMs);
    renewed.set(owner, simulation.schedule.now);
  }

  function claim(id: string, owner: OwnerId): void {
    const hold = holds.get(id);
    const other = hold?.owner;
    if (other !== undefined && other !== owner && (leases.get(other) ?? 0) > simulation.wall())
      simulation.say(`session ${id} was claimed by ${owner} while ${other} held it (S10.2)`);
    const resident = processOf(simulation, owner)?.registry.residents.get(id);
    if (resident?.session !== undefined && resident.lostFault === undefined)
      simulation.say(`session ${id} was claimed by ${owner}, which has it open already (S10.1)`);
    holds.set(id, { owner, epoch: (hold?.epoch ?? 0) + 1 });
    renew(owner);
  }

  function note(call: StoreCall): void {
    if (call.method === 'create') {
      holds.set(call.header.id, { owner: call.owner, epoch: 1 });
      renew(call.owner);
    }
    if (call.method === 'claim') claim(call.id, call.owner);
    if (call.method === 'renew') renew(call.owner);
    const hold = holds.get(sessionOf(call) ?? '');
    if (hold === undefined) return;
    if (call.method === 'handBack' && hold.epoch === call.epoch) hold.owner = undefined;
    if (call.method === 'remove') hold.owner = undefined;
  }

  function judge({ name, isFrozen, thawedAt, registry }: SimulatedProcess): void {
    if (isFrozen || registry.residents.size === 0) return;
    const last = Math.max(renewed.get(registry.owner) ?? simulation.schedule.now, thawedAt);
    if (simulation.schedule.now - last > leaseMs * leasesMax)
      simulation.say(`process ${name} holds sessions and has not renewed its lease since ${Math.round(last)} ms (S10.2)`);
  }

  return {
    stored(call, error) {
      if (error === undefined) note(call);
    },
    closed({ name, registry }) {
      // what a full disk does not take back goes when the lease runs out
      if (simulation.faults.isOn && simulation.faults.kinds.size > 0) return;
      const kept = [...holds].flatMap(([id, { owner }]) => (owner === registry.owner ? [id] : []));
      if (kept.length > 0) simulation.say(`process ${name} is closed and still holds ${kept.join(', ')} (R16)`);
    },
    async reopened({ database }) {
      leases.clear();
      const { image } = database;
      for (const [id, hold] of holds) {
        const head = await image.head(id as SessionId);
        Object.assign(hold, { owner: head?.owner, epoch: head?.epoch ?? 0 });
      }
    },
    stepped() {
      if (simulation.schedule.now === looked) return; // only timers move time
      looked = simulation.schedule.now;
      for (const process of simulation.live) judge(process);
    },
  };
}

function processOf(simulation: Simulation, owner: OwnerId): SimulatedProcess | undefined {
  return simulation.live.find(({ registry }) => registry.owner === owner);
}
