/** A driver that waits: for a yes before an agent opens, for the end of each turn, and before it lets an agent go. */
import type { AgentDriver, Turn, TurnEnd } from '../../../src/agents/driver.ts';
import { type Hand, hand } from './hand.ts';

export interface HeldDriver extends AgentDriver {
  readonly opening: Hand<void>;
  readonly ending: Hand<TurnEnd>;
  readonly releasing: Hand<void>;
  /** The turn that runs. */
  readonly turn: Turn | undefined;
  /** Turns that ran at once, at most. */
  readonly turnsAtOnce: number;
}

export function heldDriver(): HeldDriver {
  const running = new Set<Turn>();
  let turnsAtOnce = 0;
  const driver = {
    name: 'held',
    opening: hand<void>(),
    ending: hand<TurnEnd>(),
    releasing: hand<void>(),
    get turn() {
      return [...running].at(-1);
    },
    get turnsAtOnce() {
      return turnsAtOnce;
    },
    validate: () => driver.opening.ask(),
    release: () => driver.releasing.ask(),
    async runTurn(turn: Turn) {
      running.add(turn);
      turnsAtOnce = Math.max(turnsAtOnce, running.size);
      try {
        return await driver.ending.ask();
      } finally {
        running.delete(turn);
      }
    },
  };
  return driver;
}
