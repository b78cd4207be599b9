/** The driver of every agent: it keeps the agents that ran on it, and has what its turns see and say looked at. */
import type { Agent } from '../../../src/agents/agent.ts';
import type { AgentDriver, Turn, TurnEnd } from '../../../src/agents/driver.ts';
import type { SimulatedProcess } from '../../../src/testing/simulation/process.ts';
import type { Simulation } from '../../../src/testing/simulation/simulation.ts';
import type { Ledger } from './ledger.ts';
import type { Watch } from './open-host.ts';
import { RandomTurn } from './random-turn.ts';

export class RandomDriver implements AgentDriver {
  readonly name = 'random';
  /** The agent that last ran under an id, with the ids of children that it knows. */
  readonly agents = new Map<
    string,
    { readonly agent: Agent; readonly parentId: string | undefined; readonly children: string[] }
  >();
  /** Every agent that ever ran, also those that have left. */
  readonly everyone: Agent[] = [];
  readonly #simulation: Simulation;
  readonly #process: SimulatedProcess;
  readonly #ledger: Ledger;
  readonly #watch: Watch;

  constructor(simulation: Simulation, process: SimulatedProcess, ledger: Ledger, watch: Watch) {
    this.#simulation = simulation;
    this.#process = process;
    this.#ledger = ledger;
    this.#watch = watch;
  }

  async runTurn(turn: Turn): Promise<TurnEnd> {
    const { agent, header } = turn;
    const known = this.agents.get(agent.id);
    this.agents.set(agent.id, { agent, parentId: header.parentSession, children: known?.children ?? [] });
    if (known?.agent !== agent) this.everyone.push(agent);
    if (header.parentSession !== undefined) this.#ledger.parents.set(agent.id, header.parentSession);
    const children = this.agents.get(agent.id)?.children ?? [];
    const { turns } = this.#watch;
    let end: TurnEnd | undefined;
    try {
      await turns.show(turn, turn.input);
      end = await new RandomTurn(this.#simulation, this.#process, this.#ledger, this.#watch, turn, children).run();
      return end;
    } finally {
      turns.end(turn, end);
    }
  }

  async release(agent: Agent): Promise<void> {
    const { faults } = this.#simulation;
    if (!faults.strikes('bad-disposal', 0.2)) return;
    const random = faults.chanceOf('bad-disposal');
    if (random.chance(0.4)) throw new Error(`the driver would not let go of ${agent.id}`);
    await this.#simulation.pause(this.#process, random.next() * 12_000);
  }
}
