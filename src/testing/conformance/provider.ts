/** The suite that every provider passes: the contract of src/providers/contract.ts, at the port itself and in a real runtime. */
import type { AgentComposition } from '../../agents/composition.ts';
import type { Limits } from '../../agents/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SubagentProvider } from '../../providers/contract.ts';
import type { AgentOptions } from '../../sessions/event.ts';
import type { JsonObject } from '../../sessions/json.ts';
import type { TestSuite } from '../suite.ts';
import { toTestCase } from './provider/bench.ts';
import { capabilityCases } from './provider/capabilities.ts';
import { disposalCases } from './provider/disposals.ts';
import { endCases } from './provider/ends.ts';
import { orderCases } from './provider/orders.ts';
import { ownPrompts } from './provider/prompted-driver.ts';
import { runEndCases } from './provider/run-ends.ts';
import { runCases } from './provider/runs.ts';
import { seedCases } from './provider/seeds.ts';
import { startAbortCases } from './provider/start-aborts.ts';
import { startCases } from './provider/starts.ts';
import { stopCases } from './provider/stops.ts';
import type { TimeOptions } from './time.ts';

/** What to ask of a child so that it behaves as a case needs. Used as they are; cases whose prompt is absent are left out. */
export interface ProviderPrompts {
  /** The child says something and ends by itself, as completed. */
  readonly completes: string;
  /** The child works until it is stopped. */
  readonly runs: string;
  /** The child ends by itself, for a reason other than `completed`. */
  readonly fails?: string;
  /** `start` fails. External providers only. */
  readonly failsToStart?: string;
  /** The child hands in `{ answer: <number> }`, which is what the schema of the request asks for. */
  readonly submits?: string;
}

/** What a child was really given, as its backend saw it. */
export interface ReceivedRequest {
  readonly cwd?: string;
  readonly agentOptions?: AgentOptions;
  readonly agentPreset?: string;
  readonly outputSchema?: JsonObject;
  readonly maxDepth?: number;
}

/** One provider and what the suite may ask about it. */
export interface ProviderSubject {
  readonly provider: SubagentProvider;
  /** What local children run on. Default: a driver of the suite, which does what its own prompts say. */
  readonly composition?: AgentComposition;
  /** How many processes, connections or other things live now because of this provider. 0 before its first start. */
  countProcesses?(): number | Promise<number>;
  /** How often its children have done something that can be seen from outside: files written, requests made. */
  countEffects?(): number | Promise<number>;
  /** What the child with this id was given. A flag that is true must show here; `outputSchema` may show in its result instead. */
  received?(childId: string): ReceivedRequest | undefined | Promise<ReceivedRequest | undefined>;
  /** Called when the case is over. */
  close?(): void | Promise<void>;
}

export interface ProviderConformance extends TimeOptions {
  readonly name: string;
  /** `local`: it has `prepareContinuable`. `external`: it has only `start`. */
  readonly kind: 'local' | 'external';
  /** A fresh provider for one case. `clock`: of the suite, for providers that wait by one. */
  create(given: { readonly clock: Clock }): ProviderSubject | Promise<ProviderSubject>;
  /** Needed unless children run on the driver of the suite. */
  readonly prompts?: ProviderPrompts;
  /** Absolute; the parent works here. Default `/project`. */
  readonly cwd?: string;
  /** A directory in it, as the child is to be asked to work in. Default `part`. */
  readonly subfolder?: string;
  /** Options for the flag `agentOptions`. Default `{ model: 'conformance' }`. */
  readonly agentOptions?: AgentOptions;
  /** Of the runtime that the provider is registered in, for backends that need longer than the defaults to stop. */
  readonly limits?: Partial<Limits>;
  /** Texts planted in prompts, environment, headers or settings, which no diagnostic and no error may repeat. */
  readonly secrets?: readonly string[];
  /** At how many moments of a start the caller aborts. Default: 24 simulated, 5 real. */
  readonly momentsMax?: number;
  /** How many of the generated orders of events are tried, the longest first. Default: all simulated, 8 real. */
  readonly ordersMax?: number;
  /** Bound of one case in real time, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
}

/** Cases make a provider and a runtime of their own each. */
export function testProvider(subject: ProviderConformance): TestSuite {
  const isExternal = subject.kind === 'external';
  const cases = [
    ...capabilityCases,
    ...startCases,
    ...startAbortCases,
    ...endCases,
    ...disposalCases,
    ...stopCases,
    ...(isExternal ? [...runCases, ...runEndCases, ...orderCases(subject)] : seedCases),
  ];
  const prompts: ProviderPrompts = subject.prompts ?? ownPrompts;
  const possible = cases.filter(({ needs }) => needs === undefined || prompts[needs] !== undefined);
  return {
    name: `${subject.name} keeps the contract of a provider`,
    tests: possible.map((one) => toTestCase(subject, one)),
  };
}
