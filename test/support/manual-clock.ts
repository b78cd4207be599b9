/** The clock of the testing entry, at the path where the suites look for it. */
export { type ManualClock, manualClock } from '../../src/testing/clock.ts';
