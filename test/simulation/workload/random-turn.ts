/**
 * A model loop of chance: it speaks, calls tools, delegates, writes to parent and children, waits, and, as far as the faults of
 * the run go, falls over, hangs, or goes on when it should have stopped. Each step waits for its place in the schedule.
 */
import type { Turn, TurnEnd } from '../../../src/agents/driver.ts';
import type { AgentTool } from '../../../src/agents/tool.ts';
import type { JsonValue } from '../../../src/sessions/json.ts';
import type { SimulatedProcess } from '../../../src/testing/simulation/process.ts';
import type { Random } from '../../../src/testing/simulation/random.ts';
import type { Simulation } from '../../../src/testing/simulation/simulation.ts';
import type { Ledger } from './ledger.ts';
import type { Watch } from './open-host.ts';

const stepsMax = 7;

export class RandomTurn {
  readonly #simulation: Simulation;
  readonly #process: SimulatedProcess;
  readonly #ledger: Ledger;
  readonly #watch: Watch;
  readonly #turn: Turn;
  readonly #children: string[];
  readonly #random: Random;
  #calls = 0;

  constructor(simulation: Simulation, process: SimulatedProcess, ledger: Ledger, watch: Watch, turn: Turn, children: string[]) {
    this.#watch = watch;
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
    await this.#steer();
    return { stopReason: turn.signal.aborted ? 'aborted' : 'completed' };
  }

  async #steer(): Promise<void> {
    await this.#watch.turns.show(this.#turn, await this.#turn.takeSteering());
  }

  #moment(): Promise<void> {
    return this.#simulation.schedule.turn(`model ${this.#turn.agent.id}`, 'model', this.#process);
  }

  async #step(): Promise<TurnEnd | undefined> {
    const turn = this.#turn;
    const choice = this.#random.next();
    if (choice < 0.25 || !this.#simulation.faults.isOn) await this.#say();
    else if (choice < 0.4) await this.#steer();
    else if (choice < 0.52) await this.#wait(this.#random.next() * 4_000);
    else if (choice < 0.72) {
      await this.#callTools(1 + this.#random.below(2));
      await this.#steer();
    } else if (choice < 0.9) await this.#write();
    else if (choice < 0.93) await turn.check();
    else if (choice < 0.95)
      return { stopReason: this.#random.pick(['refusal', 'max-tokens', 'error'] as const), diagnostic: 'no' };
    else if (choice < 0.98) return this.#leave();
    else this.#delegate();
    return undefined;
  }

  /** Without waiting for its last words: what the store does not take of them is lost, and the history is balanced all the same. */
  #leave(): TurnEnd {
    const { callId, tool, input } = this.#chooseCall();
    const content = [{ type: 'tool-call', callId, toolName: tool.name, input }] as const;
    this.#turn.record({ role: 'assistant', content }).catch(() => undefined); // nobody waits for it
    return { stopReason: 'completed' };
  }

  /** With a tool of its own, which does not look how deep it is. */
  #delegate(): void {
    const { agent, signal } = this.#turn;
    const sent = this.#ledger.note(this.#process, 'start', agent.id);
    const starting = this.#process.runtime.startActivation({
      ...{ provider: 'spawn', label: `task ${sent.mark}`, delivery: 'parent', signal },
      request: { parent: agent, prompt: [{ type: 'text', text: sent.mark }] },
    });
    void this.#ledger.follow(
      sent,
      starting.then(({ messageId }) => {
        sent.isCancelled = signal.aborted; // it may have been published in the same instant
        return messageId;
      }),
    );
  }

  async #say(): Promise<void> {
    await this.#watch.turns.recall(this.#turn);
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
    const asked = turn.record({
      role: 'assistant',
      content: calls.map(({ callId, tool, input }) => ({ type: 'tool-call', callId, toolName: tool.name, input })),
    });
    // an eager one does not wait for its store
    const isEager = this.#random.chance(0.3);
    if (!isEager) await asked;
    const isLazy = this.#simulation.faults.strikes('child-exits', 0.05);
    await Promise.all([
      asked,
      ...calls.map(async ({ callId, tool, input }) => {
        const answer = await this.#execute(tool, input, callId, isEager);
        if (isLazy) return;
        await turn.record({ role: 'tool', content: [{ type: 'tool-result', callId, toolName: tool.name, ...answer }] });
        if (this.#simulation.faults.strikes('duplicate-reply', 0.1))
          await turn.record({ role: 'tool', content: [{ type: 'tool-result', callId, toolName: tool.name, ...answer }] });
      }),
    ]);
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

  async #execute(
    tool: AgentTool,
    input: JsonValue,
    callId: string,
    isEager: boolean,
  ): Promise<{ output: JsonValue; isError?: boolean }> {
    const { agent, signal, turnId } = this.#turn;
    if (!isEager) await this.#moment();
    const { agent_id: target } = input as { readonly agent_id?: string };
    if (target !== undefined) this.#watch.scope.stop(this.#process, target, 'turn');
    const isCut = this.#ledger.cut.has(agent);
    try {
      const output = await tool.execute(input, { agent, signal, callId, idempotencyKey: `${turnId}/${callId}` });
      this.#ledger.notCut(isCut && isDelegation(tool), agent);
      const child = /^started subagent (\S+)/.exec(String(output))?.[1];
      if (child !== undefined) this.#children.push(child);
      return { output };
    } catch (error) {
      return { output: error instanceof Error ? error.message : 'failed', isError: true };
    }
  }
}

/** Its answer says that a child was started, or what one came to. */
function isDelegation({ name }: AgentTool): boolean {
  return name !== 'look' && name !== 'list_agents' && name !== 'interrupt_agent';
}
