/**
 * An agent driver whose turns are written down beforehand, by the label of the agent. It plays each turn once, in order; an
 * agent without a script, or at the end of its script, says `ok` (see `otherwise`).
 *
 *     const driver = scriptedDriver();
 *     driver.script('worker', [says('half'), waitsAt(place)], [says('done')]);   // two turns  (steps: scripted-steps.ts)
 *     const turn = await driver.turn('worker', 2);                               // when the second one begins
 */
import type { Agent } from '../../src/agents/agent.ts';
import type { AgentDriver, Turn, TurnEnd } from '../../src/agents/driver.ts';
import { type ToolResultBlock, type TranscriptEntry, textOf } from '../../src/sessions/content.ts';
import type { AgentOptions } from '../../src/sessions/event.ts';
import type { InboxMessage } from '../../src/sessions/message.ts';
import { imbalanceOf } from './balance.ts';
import { type Step, says } from './scripted-steps.ts';

/** One turn as the driver saw it. */
export interface RecordedTurn {
  readonly label: string;
  readonly agent: Agent;
  readonly turn: Turn;
  readonly input: readonly InboxMessage[];
  /** What the model would have been shown at the start. */
  readonly history: readonly TranscriptEntry[];
  /** The user entries of that history, as text. */
  readonly prompts: readonly string[];
  readonly cwd: string;
  readonly options: AgentOptions;
  readonly steering: InboxMessage[];
  readonly results: ToolResultBlock[];
  readonly refusals: unknown[];
  afterlife: Promise<unknown> | undefined;
  /** Set when `runTurn` has settled. */
  end: TurnEnd | { readonly threw: unknown } | undefined;
}

export interface ScriptedDriver extends AgentDriver {
  /** Turns for the agents with this label, behind those it has already. Two agents of one label share them. */
  script(label: string, ...turns: readonly (readonly Step[])[]): void;
  /** What an agent does that has no turn left in its script. Default: says `ok`. */
  otherwise(...steps: readonly Step[]): void;
  /** Every turn so far, in the order of their start. */
  readonly turns: readonly RecordedTurn[];
  turnsOf(label: string): readonly RecordedTurn[];
  /** Resolves when the n-th turn (default 1) of this label begins. */
  turn(label: string, nth?: number): Promise<RecordedTurn>;
  /** Labels of the agents that were given up, in order, as `release` was called for them. */
  readonly released: readonly string[];
  /** Called by `validate`. Default: accepts. */
  onValidate: (options: AgentOptions) => void | Promise<void>;
  /** Called by `release`. Default: nothing. */
  onRelease: (agent: Agent) => void | Promise<void>;
  /** Whether it takes images. Default: no. */
  isSeeing: boolean;
  /** Whether it looks at no history, for tests of very many turns. Default: no. */
  isBlind: boolean;
}

export function scriptedDriver(name = 'scripted'): ScriptedDriver {
  const scripts = new Map<string, (readonly Step[])[]>();
  const turns: RecordedTurn[] = [];
  const released: string[] = [];
  const watchers = new Set<() => void>();
  let fallback: readonly Step[] = [says('ok')];
  const turnsOf = (label: string) => turns.filter((turn) => turn.label === label);

  const driver: ScriptedDriver = {
    name,
    turns,
    released,
    isSeeing: false,
    isBlind: false,
    turnsOf,
    onValidate: () => undefined,
    onRelease: () => undefined,
    acceptsImages: () => driver.isSeeing,
    validate: (options) => driver.onValidate(options),
    release(agent) {
      released.push(agent.label);
      return driver.onRelease(agent);
    },
    script(label, ...added) {
      scripts.set(label, [...(scripts.get(label) ?? []), ...added]);
    },
    otherwise: (...steps) => {
      fallback = steps;
    },
    turn: (label, nth = 1) =>
      new Promise((resolve) => {
        const look = () => {
          const turn = turnsOf(label)[nth - 1];
          if (turn === undefined) return;
          watchers.delete(look);
          resolve(turn);
        };
        watchers.add(look);
        look();
      }),
    async runTurn(turn) {
      const { label } = turn.agent;
      const record = recordOf(turn, driver.isBlind ? [] : await turn.history());
      turns.push(record);
      for (const look of watchers) look();
      const steps = scripts.get(label)?.shift() ?? fallback;
      try {
        record.end = await play(steps, turn, record);
      } catch (error) {
        record.end = { threw: error };
        throw error;
      }
      return record.end;
    },
  };
  return driver;
}

async function play(steps: readonly Step[], turn: Turn, record: RecordedTurn): Promise<TurnEnd> {
  for (const step of steps) {
    const end = await step(turn, record);
    if (end !== undefined) return end;
  }
  return { stopReason: 'completed' };
}

function recordOf(turn: Turn, history: readonly TranscriptEntry[]): RecordedTurn {
  const broken = imbalanceOf(
    history.map(({ role, content }) => ({
      role,
      calls: content.flatMap((block) => (block.type === 'tool-call' ? [block.callId] : [])),
      results: content.flatMap((block) => (block.type === 'tool-result' ? [block.callId] : [])),
    })),
  );
  if (broken !== undefined) throw new Error(`the history is not balanced: ${broken}`);
  return {
    label: turn.agent.label,
    agent: turn.agent,
    turn,
    input: turn.input,
    history,
    prompts: history.filter(({ role }) => role === 'user').map(({ content }) => textOf(content)),
    cwd: turn.agent.cwd,
    options: turn.options,
    steering: [],
    results: [],
    refusals: [],
    afterlife: undefined,
    end: undefined,
  };
}
