/**
 * A model loop of chance: it speaks, calls tools, delegates, writes to parent and children, waits, and, as far as the faults of
 * the run go, falls over, hangs, or goes on when it should have stopped. Each step waits for its place in the schedule.
 */
import type { Agent } from '../../../src/agents/agent.ts';
import type { AgentDriver, Turn, TurnEnd } from '../../../src/agents/driver.ts';
import type { AgentTool } from '../../../src/agents/tool.ts';
import type { JsonValue } from '../../../src/sessions/json.ts';
import type { SimulatedProcess } from '../../../src/testing/simulation/process.ts';
import type { Random } from '../../../src/testing/simulation/random.ts';
import type { Simulation } from '../../../src/testing/simulation/simulation.ts';
import type { Ledger } from './ledger.ts';
import type { Scope } from './scope.ts';

const stepsMax = 7;

export class RandomDriver implements AgentDriver {
  readonly name = 'random';
  /** The agent that last ran under an id, with the ids of children that it knows. */
  readonly agents = new Map<
    string,
    { readonly agent: Agent; readonly parentId: string | undefined; readonly children: string[] }
  >();
  readonly #simulation: Simulation;
  readonly #process: SimulatedProcess;
  readonly #ledger: Ledger;
  readonly #scope: Scope;

  constructor(simulation: Simulation, process: SimulatedProcess, ledger: Ledger, scope: Scope) {
    this.#simulation = simulation;
    this.#process = process;
    this.#ledger = ledger;
    this.#scope = scope;
  }

  async runTurn(turn: Turn): Promise<TurnEnd> {
    const { agent, header } = turn;
    const known = this.agents.get(agent.id);
    this.agents.set(agent.id, { agent, parentId: header.parentSession, children: known?.children ?? [] });
    const children = this.agents.get(agent.id)?.children ?? [];
    return new RandomTurn(this.#simulation, this.#process, this.#ledger, this.#scope, turn, children).run();
  }

  async release(agent: Agent): Promise<void> {
    const { faults } = this.#simulation;
    if (!faults.strikes('bad-disposal', 0.2)) return;
    const random = faults.chanceOf('bad-disposal');
    if (random.chance(0.4)) throw new Error(`the driver would not let go of ${agent.id}`);
    await this.#simulation.pause(this.#process, random.next() * 12_000);
  }
}

class RandomTurn {
  readonly #simulation: Simulation;
  readonly #process: SimulatedProcess;
  readonly #ledger: Ledger;
  readonly #scope: Scope;
  readonly #turn: Turn;
  readonly #children: string[];
  readonly #random: Random;
  #calls = 0;

  constructor(simulation: Simulation, process: SimulatedProcess, ledger: Ledger, scope: Scope, turn: Turn, children: string[]) {
    this.#scope = scope;
    this.#simulation = simulation;
    this.#process = process;
    this.#ledger = ledger;
    this.#turn = turn;
    this.#children = children;
    this.#random = simulation.random.stream(`turn ${turn.turnId}`);
  }

  async run(): Promise<TurnEnd> {
    const { faults } = this.#simulation;
    const turn = this.#turn;
    await this.#moment();
    for (let left = faults.isOn ? this.#random.below(stepsMax) : 1; left > 0; left--) {
      if (turn.signal.aborted && !faults.strikes('reply-after-cancel', 0.5)) return { stopReason: 'aborted' };
      if (faults.strikes('child-exits', 0.04)) throw new Error('the loop fell over');
      if (faults.strikes('child-hangs', 0.03)) await this.#simulation.pause(this.#process, this.#random.next() * 120_000);
      const end = await this.#step();
      if (end !== undefined) return end;
      await this.#moment();
    }
    if (turn.outputSchema !== undefined && this.#random.chance(0.8)) await turn.submitResult({ count: this.#calls });
    await turn.takeSteering();
    return { stopReason: turn.signal.aborted ? 'aborted' : 'completed' };
  }

  #moment(): Promise<void> {
    return this.#simulation.schedule.turn(`model ${this.#turn.agent.id}`, 'model', this.#process);
  }

  async #step(): Promise<TurnEnd | undefined> {
    const turn = this.#turn;
    const choice = this.#random.next();
    if (choice < 0.25 || !this.#simulation.faults.isOn) await this.#say();
    else if (choice < 0.4) await turn.takeSteering();
    else if (choice < 0.52) await this.#wait(this.#random.next() * 4_000);
    else if (choice < 0.72) await this.#callTools(1 + this.#random.below(2));
    else if (choice < 0.9) await this.#write();
    else if (choice < 0.93) await turn.check();
    else if (choice < 0.95)
      return { stopReason: this.#random.pick(['refusal', 'max-tokens', 'error'] as const), diagnostic: 'no' };
    return undefined;
  }

  async #say(): Promise<void> {
    const text = `said ${this.#turn.turnId} ${++this.#calls}`;
    await this.#turn.record({ role: 'assistant', content: [{ type: 'text', text }] });
    if (this.#simulation.faults.strikes('duplicate-reply', 0.1))
      await this.#turn.record({ role: 'assistant', content: [{ type: 'text', text }] });
  }

  /** Until the turn is stopped, or the time is over. */
  #wait(ms: number): Promise<void> {
    const { signal } = this.#turn;
    return new Promise((resolve) => {
      const cancel = this.#simulation.schedule.after(ms, 'model waits', resolve, { doer: this.#process });
      const stop = () => {
        cancel();
        resolve();
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** To the parent or to one of its children, some of them gone by now. */
  async #write(): Promise<void> {
    const { agent, header } = this.#turn;
    const targets = [...this.#children, ...(header.parentSession === undefined ? [] : [header.parentSession])];
    if (targets.length === 0) return;
    const target = this.#random.pick(targets);
    const sent = this.#ledger.note(this.#process, 'message', agent.id, target);
    const sending = this.#ledger.follow(
      sent,
      this.#process.runtime.sendMessage(agent, target, [{ type: 'text', text: sent.mark }], { signal: this.#turn.signal }),
    );
    if (this.#random.chance(0.5)) await sending;
  }

  async #callTools(count: number): Promise<void> {
    const turn = this.#turn;
    const calls = Array.from({ length: count }, () => this.#chooseCall());
    await turn.record({
      role: 'assistant',
      content: calls.map(({ callId, tool, input }) => ({ type: 'tool-call', callId, toolName: tool.name, input })),
    });
    const isLazy = this.#simulation.faults.strikes('child-exits', 0.05);
    await Promise.all(
      calls.map(async ({ callId, tool, input }) => {
        const answer = await this.#execute(tool, input, callId);
        if (isLazy) return;
        await turn.record({ role: 'tool', content: [{ type: 'tool-result', callId, toolName: tool.name, ...answer }] });
        if (this.#simulation.faults.strikes('duplicate-reply', 0.1))
          await turn.record({ role: 'tool', content: [{ type: 'tool-result', callId, toolName: tool.name, ...answer }] });
      }),
    );
  }

  #chooseCall(): { callId: string; tool: AgentTool; input: JsonValue } {
    const callId = `${this.#turn.turnId}-call-${++this.#calls}`;
    const tool = this.#random.pick(this.#turn.tools);
    return { callId, tool, input: this.#inputFor(tool.name) };
  }

  #inputFor(tool: string): JsonValue {
    const id = this.#children.length > 0 ? this.#random.pick(this.#children) : 'nobody';
    if (tool === 'interrupt_agent') return { agent_id: id };
    if (tool === 'list_agents') return this.#random.chance(0.5) ? {} : { scope: 'descendants' };
    if (tool === 'look') return {};
    const { mark } = this.#ledger.note(this.#process, 'start', this.#turn.agent.id);
    return { description: `task ${mark}`, prompt: `do ${mark}`, run_in_background: this.#random.chance(0.6) };
  }

  async #execute(tool: AgentTool, input: JsonValue, callId: string): Promise<{ output: JsonValue; isError?: boolean }> {
    const { agent, signal, turnId } = this.#turn;
    await this.#moment();
    const { agent_id: target } = input as { readonly agent_id?: string };
    if (target !== undefined) this.#scope.stop(this.#process, target, 'turn');
    try {
      const output = await tool.execute(input, { agent, signal, callId, idempotencyKey: `${turnId}/${callId}` });
      const child = /^started subagent (\S+)/.exec(String(output))?.[1];
      if (child !== undefined) this.#children.push(child);
      return { output };
    } catch (error) {
      return { output: error instanceof Error ? error.message : 'failed', isError: true };
    }
  }
}
