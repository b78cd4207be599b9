/** For those who build on the library: tests from its machines and contracts. Every public name, one by one. */
export { type ManualClock, manualClock } from './clock.ts';
export { runSuite, type SuiteReport, type TestCase, type TestSuite } from './suite.ts';
