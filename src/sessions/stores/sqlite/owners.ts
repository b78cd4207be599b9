/**
 * Owners and their leases: one row each, so that renewing a lease writes one row however many sessions it covers. A session
 * names its owner by row number, and numbers are never used again: an owner without a row holds nothing.
 */
import type { Clock } from '../../../ports/clock.ts';
import type { OwnerId } from '../../store.ts';
import type { Database } from './database.ts';
import { isProvablyDead, type ProcessIdentity, thisProcess } from './liveness.ts';

interface OwnerRow extends ProcessIdentity {
  readonly no: number;
  readonly id: OwnerId;
  readonly expires: number;
}

/** To be called inside a transaction only. */
export interface Owners {
  /** The number of the owner, whose lease now runs from this moment. */
  register(id: OwnerId): number;
  idOf(no: number | null): OwnerId | undefined;
  /** True while the owner's lease runs, unless its process is known to be dead. */
  isLive(no: number | null): boolean;
  /** Whether anybody was registered here, so that `forgetOwn` has something to do. */
  hasOwn(): boolean;
  /** Hands back everything that owners registered here have claimed. */
  forgetOwn(): void;
}

export function owners(database: Database, clock: Clock, leaseMs: number): Owners {
  const byId = database.prepare('select * from owner where id = ?');
  const byNo = database.prepare('select * from owner where no = ?');
  const everyOne = database.prepare('select * from owner');
  const insert = database.prepare('insert into owner (id, pid, started, host, expires) values (?, ?, ?, ?, ?)');
  const extend = database.prepare('update owner set pid = ?, started = ?, host = ?, expires = ? where no = ?');
  const remove = database.prepare('delete from owner where no = ?');
  const here = thisProcess();
  const own = new Set<OwnerId>();
  /** Numbers of owners that are known to be dead: they stay so. */
  const dead = new Set<number>();

  function isDead(row: OwnerRow): boolean {
    if (dead.has(row.no)) return true;
    const isFound = isProvablyDead(row, here);
    if (isFound) dead.add(row.no);
    return isFound;
  }

  return {
    register(id) {
      own.add(id);
      const expires = clock.now() + leaseMs;
      const row = byId.get(id) as OwnerRow | undefined;
      if (row === undefined) {
        for (const other of everyOne.all() as OwnerRow[]) if (isDead(other)) remove.run(other.no);
        return Number(insert.run(id, here.pid, here.started, here.host, expires).lastInsertRowid);
      }
      // Many claims in one millisecond write the row once.
      if (row.expires !== expires || row.pid !== here.pid) extend.run(here.pid, here.started, here.host, expires, row.no);
      return row.no;
    },
    idOf(no) {
      return no === null ? undefined : (byNo.get(no) as OwnerRow | undefined)?.id;
    },
    isLive(no) {
      const row = no === null ? undefined : (byNo.get(no) as OwnerRow | undefined);
      return row !== undefined && row.expires > clock.now() && !isDead(row);
    },
    hasOwn: () => own.size > 0,
    forgetOwn() {
      for (const id of own) {
        const row = byId.get(id) as OwnerRow | undefined;
        if (row?.pid === here.pid) remove.run(row.no);
      }
    },
  };
}
