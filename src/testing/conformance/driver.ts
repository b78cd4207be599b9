/** The suite that every agent driver passes: the contract of src/agents/driver.ts, on turns made by hand and in a real runtime. */
import type { AgentDriver } from '../../agents/driver.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AgentOptions } from '../../sessions/event.ts';
import type { TestSuite } from '../suite.ts';
import { abortCases } from './driver/aborts.ts';
import { agentCases } from './driver/agents.ts';
import { toTestCase } from './driver/bench.ts';
import { failureCases } from './driver/failures.ts';
import { fenceCases } from './driver/fences.ts';
import { historyCases } from './driver/history.ts';
import { residentCases } from './driver/resident.ts';
import type { DriverScript, ModelAnswerKind } from './driver/script.ts';
import { steeringCases } from './driver/steering.ts';
import { stepCases } from './driver/steps.ts';
import { structuredCases } from './driver/structured.ts';
import { toolCases } from './driver/tools.ts';
import type { TimeOptions } from './time.ts';

export interface DriverConformance extends TimeOptions {
  readonly name: string;
  /** A fresh driver whose model says what the script says. `clock`: of the suite, for drivers that wait by one. */
  create(script: DriverScript, given: { readonly clock: Clock }): AgentDriver | Promise<AgentDriver>;
  /** Options that every turn has. Default: none. */
  readonly options?: AgentOptions;
  /** Options that `validate` refuses. Absent: the case for them is left out. */
  readonly refusedOptions?: AgentOptions;
  /** Kinds of answer that the model behind the driver cannot give; the cases that need one are left out. */
  readonly without?: readonly ModelAnswerKind[];
  /** Texts planted in environment, headers or settings, which no diagnostic may repeat. The suite plants its own in prompts and tools. */
  readonly secrets?: readonly string[];
  /** Bound of one case in real time, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

/** Cases make a driver of their own each. */
export function testDriver(subject: DriverConformance): TestSuite {
  const { without = [] } = subject;
  const cases = [
    ...stepCases,
    ...toolCases,
    ...historyCases,
    ...steeringCases,
    ...abortCases,
    ...fenceCases,
    ...structuredCases,
    ...failureCases,
    ...agentCases,
    ...residentCases,
  ];
  const possible = cases.filter(({ needs = [], isFor }) => {
    return !needs.some((kind) => without.includes(kind)) && (isFor?.(subject) ?? true);
  });
  return {
    name: `${subject.name} keeps the contract of an agent driver`,
    tests: possible.map((one) => toTestCase(subject, one)),
  };
}
