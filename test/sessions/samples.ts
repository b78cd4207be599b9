/** Headers and events for tests of stores: those of the conformance suite. */
export {
  child,
  claimed,
  header,
  inserted,
  messageId,
  sessionId,
  turnEnded,
  turnStarted,
} from '../../src/testing/conformance/store/samples.ts';
