/** The logs obey the contract: whatever a crash has left of them, and whole once everything has settled. */
import { checkTrace, describeProblem, type StoreTraceOptions } from '../../trace/check.ts';
import type { Checker, Simulation } from '../simulation.ts';

/** Of one kind of problem a log can have many; the first few say enough. */
const saidMax = 5;

export function tracesChecker(simulation: Simulation, settles: boolean): Checker {
  async function judge(options: StoreTraceOptions): Promise<void> {
    const { image, created } = simulation.database;
    const { problems } = await checkTrace(image, { ids: created, ...options });
    for (const problem of problems.slice(0, saidMax)) simulation.say(describeProblem(problem));
  }
  return {
    reopened: () => judge({}),
    ended: () => judge(settles && simulation.violations.length === 0 ? { expects: 'settled' } : {}),
  };
}
