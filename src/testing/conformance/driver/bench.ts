/** What one case of the driver suite works with. */
import type { AgentDriver, TurnEnd } from '../../../agents/driver.ts';
import { defaultLimits } from '../../../agents/limits.ts';
import type { AgentTool } from '../../../agents/tool.ts';
import type { AgentOptions } from '../../../sessions/event.ts';
import type { TestCase } from '../../suite.ts';
import type { DriverConformance } from '../driver.ts';
import { holds } from '../expect.ts';
import { guardedCase } from '../guarded.ts';
import { type Time, timeFor } from '../time.ts';
import { type HandTurn, type HandTurnSetup, handTurn, imbalanceOfLog } from './hand-turn.ts';
import type { DriverScript, ModelAnswerKind } from './script.ts';

/** How soon a turn ends that was told to: the runtime gives it up after that. In milliseconds. */
export const soonMs = defaultLimits.turnStopMs;

export interface DriverCase {
  readonly name: string;
  /** What the model must be able to say. */
  readonly needs?: readonly ModelAnswerKind[];
  /** Absent: for every driver. */
  isFor?(subject: DriverConformance): boolean;
  run(bench: DriverBench): Promise<void>;
}

export interface DriverBench {
  readonly time: Time;
  readonly subject: DriverConformance;
  readonly options: AgentOptions;
  driverFor(script: DriverScript): Promise<AgentDriver>;
  /** Runs one turn made by hand on a driver of its own. */
  drive(script: DriverScript, setup?: HandTurnSetup): Promise<Driven>;
}

/** How a turn came out: an end, or what `runTurn` rejected with. */
export type Outcome = { readonly end: TurnEnd } | { readonly threw: unknown };

export interface Driven {
  readonly turn: HandTurn;
  isOver(): boolean;
  /** Rejects only when the turn does not settle. `ms`: within how long it must. */
  outcome(what: string, ms?: number): Promise<Outcome>;
}

export function toTestCase(subject: DriverConformance, { name, run }: DriverCase): TestCase {
  return guardedCase(name, subject.timeoutMs ?? 30_000, () => run(benchOf(subject)));
}

function benchOf(subject: DriverConformance): DriverBench {
  const time = timeFor(subject);
  const { options = {} } = subject;
  const driverFor = async (script: DriverScript) => subject.create(script, { clock: time.clock });
  return {
    ...{ time, subject, options, driverFor },
    drive: async (script, setup) => start(time, await driverFor(script), handTurn({ options, ...setup })),
  };
}

export function start(time: Time, driver: AgentDriver, turn: HandTurn): Driven {
  const running = (async () => driver.runTurn(turn))().then(
    (end): Outcome => ({ end }),
    (threw: unknown): Outcome => ({ threw }),
  );
  let isOver = false;
  void running.then(() => {
    isOver = true;
  });
  return { turn, isOver: () => isOver, outcome: (what, ms) => time.settled(running, what, ms) };
}

/** Throws unless the turn ended so, and left a balanced log; of an aborted turn the runtime answers the calls that are open. */
export function endsAs(stopReason: TurnEnd['stopReason'], outcome: Outcome, { turn }: Driven, promise: string): TurnEnd {
  const said = describe(outcome);
  holds('end' in outcome, `${promise}: runTurn settles with an end and does not reject; it ${said}`);
  holds(outcome.end.stopReason === stopReason, `${promise}: ends as ${stopReason}; it ${said}`);
  const imbalance = stopReason === 'aborted' ? repeatedResult(turn) : imbalanceOfLog(turn);
  holds(imbalance === undefined, `every tool call gets exactly one result (P18): ${imbalance}`);
  return outcome.end;
}

function repeatedResult({ results, log }: HandTurn): string | undefined {
  const calls = log.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool-call' ? [block.callId] : [])));
  const ids = results.map(({ callId }) => callId);
  const wrong = ids.find((id, index) => ids.indexOf(id) !== index || !calls.includes(id));
  return wrong === undefined ? undefined : `${wrong} is answered twice or was never called`;
}

export function describe(outcome: Outcome): string {
  return 'end' in outcome ? `ended as ${outcome.end.stopReason}` : `rejected with ${String(outcome.threw)}`;
}

/** Throws if the driver does anything more with its turn. `stir` is done first: what was under way may come to its end. */
export async function staysSilent(time: Time, { turn }: Driven, stir: () => void = () => undefined): Promise<void> {
  const before = turn.effects.length;
  stir();
  await time.pass();
  const late = turn.effects.slice(before);
  holds(late.length === 0, `a turn that has settled records and streams nothing afterwards (I3): it did ${late.join(', ')}`);
}

/** A tool that takes any object. */
export function toolOf(name: string, execute: AgentTool['execute']): AgentTool {
  return { name, description: `does ${name}`, inputSchema: { type: 'object' }, execute };
}
