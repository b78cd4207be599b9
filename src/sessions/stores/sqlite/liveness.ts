/** Which process an owner lives in, and whether that process is certainly dead. A doubt counts as alive. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in the kernel's own count, so that a later process with the same pid is another. Empty if unknown. */
  readonly started: string;
  /** Within which pids mean the same. Empty if unknown; then nothing can be proved. */
  readonly host: string;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: processStat(process.pid)?.started ?? '', host: pidScope() };
}

/** True only if `other` is known to run no more: then its claims need not wait for their lease to end. */
export function isProvablyDead(other: ProcessIdentity, here: ProcessIdentity): boolean {
  if (other.host === '' || other.host !== here.host) return false;
  if (other.pid === here.pid && other.started === here.started) return false;
  if (!exists(other.pid)) return true;
  const stat = processStat(other.pid);
  if (stat === undefined || other.started === '') return false;
  // Z and X: killed, and only its parent has not looked yet. T, a frozen process, is alive.
  return stat.started !== other.started || stat.state === 'Z' || stat.state === 'X';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'; // EPERM: there is one, somebody else's
  }
}

/**
 * On Linux the boot and the pid namespace: containers share the one and not the other. `/proc` may show another
 * namespace than ours; then its pids are not ours to compare. Elsewhere the name of the host.
 */
function pidScope(): string {
  if (process.platform !== 'linux') return hostname();
  try {
    if (readlinkSync('/proc/self') !== String(process.pid)) return '';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return ''; // no /proc, or a hidden one: nothing can be proved
  }
}

/** Fields 3 and 22 of `/proc/<pid>/stat` (proc_pid_stat(5)). The name before them may hold spaces and brackets. */
function processStat(pid: number): { state: string; started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return undefined; // no such file: another system, or the process has just gone
  }
}
