/** For those who build on the library: tests from its machines and contracts. Every public name, one by one. */
export { type ManualClock, manualClock } from './clock.ts';
export type { DriverScript, ModelAnswer, ModelAnswerKind, ShownMessage } from './conformance/driver/script.ts';
export { type DriverConformance, testDriver } from './conformance/driver.ts';
export {
  type ProviderConformance,
  type ProviderPrompts,
  type ProviderSubject,
  type ReceivedRequest,
  testProvider,
} from './conformance/provider.ts';
export { type StoreConformance, type StoreOpening, testStore } from './conformance/store.ts';
export type { TimeOptions } from './conformance/time.ts';
export { type Coverage, type CoverageOptions, type Covered, type CoveredRun, coverage } from './graph/coverage.ts';
export { edgeNames, stateNames } from './graph/edges.ts';
export { eventTypes } from './graph/events.ts';
export { generatePaths } from './graph/generate-paths.ts';
export { type EventHandlers, type PathSuiteOptions, type PathTest, pathSuite } from './graph/path-suite.ts';
export { type EdgeRecorder, recordEdges } from './graph/record-edges.ts';
export type { MachinePath, PathEvent, PathOptions, PathStep, TakenEdges, XStateEvent } from './graph/types.ts';
export { type FaultKind, faultKinds } from './simulation/faults.ts';
export type { HostProgram, SimulatedHost } from './simulation/host.ts';
export { Random } from './simulation/random.ts';
export type { RunOptions as SimulationRunOptions } from './simulation/run.ts';
export {
  type SimulateOptions,
  type SimulationFailure,
  type SimulationReport,
  simulate,
} from './simulation/simulate.ts';
export { runSuite, type SuiteReport, type TestCase, type TestSuite } from './suite.ts';
export { assertTrace, checkTrace, describeProblem, type StoreTraceOptions, type TraceReport } from './trace/check.ts';
export { type TraceOptions, traceProblems } from './trace/problems.ts';
export { type TraceRule, type TraceRuleName, traceRules } from './trace/rules.ts';
export type { RecordedSession, TraceProblem } from './trace/trace.ts';
