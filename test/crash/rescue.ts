/** What the next process does: reopens the top-level agent, recovers, waits until all is quiet, and shows everything that is stored. */
import type { RuntimeOptions } from '../../src/registry/create-runtime.ts';
import type { RecoveryReport } from '../../src/registry/recover.ts';
import type { SessionEvent, SessionHeader } from '../../src/sessions/event.ts';
import type { PendingSession, SessionStore } from '../../src/sessions/store.ts';
import { openCrashRoot, openStage, type Witness } from './scenario.ts';

export interface StoredSession {
  readonly header: SessionHeader;
  readonly events: readonly SessionEvent[];
}

/** All that is left after the rescue. */
export interface Aftermath {
  readonly sessions: readonly StoredSession[];
  readonly told: readonly string[];
  readonly effects: readonly string[];
  readonly pending: readonly PendingSession[];
  readonly report: RecoveryReport;
  readonly faults: readonly string[];
  /** Starts and ends of activations in the rescuing process, in order: `start <id>`, `end <id>`. */
  readonly lives: readonly string[];
}

export type Rescue = Pick<Aftermath, 'report' | 'faults' | 'lives'>;

/** Leaves the store open, with nothing claimed. */
export async function rescue(
  store: SessionStore,
  witness: Witness,
  ports: Pick<RuntimeOptions, 'clock' | 'ids'> = {},
): Promise<Rescue> {
  const stage = openStage(store, witness, ports);
  const lives: string[] = [];
  stage.runtime.events$.subscribe((event) => {
    if (event.type === 'subagent/start' || event.type === 'subagent/end') lives.push(`${event.type.slice(9)} ${event.id}`);
  });
  const root = await openCrashRoot(stage);
  const report = await stage.runtime.recover();
  await root.whenQuiet();
  await stage.runtime.close();
  return { report, faults: stage.faults, lives };
}
