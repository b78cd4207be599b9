/** A turn for tests of drivers, kept in memory: that of the conformance suite. */
export {
  type HandTurn as FakeTurn,
  type HandTurnSetup as FakeTurnSetup,
  handTurn as fakeTurn,
  imbalanceOfLog,
} from '../../src/testing/conformance/driver/hand-turn.ts';
