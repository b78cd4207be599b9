/** What a scripted driver can do in a turn. A script is a list of these; what none of them ends, ends as `completed`. */

import type { Turn, TurnEnd } from '../../src/agents/driver.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import type { SubagentStopReason } from '../../src/sessions/event.ts';
import type { JsonValue } from '../../src/sessions/json.ts';
import type { Usage } from '../../src/sessions/usage.ts';
import { type Gate, unlessAborted } from './gate.ts';
import type { RecordedTurn } from './scripted-driver.ts';

/** Gives an end, and the turn is over; gives none, and the next step comes. */
export type Step = (
  turn: Turn,
  record: RecordedTurn,
) => Promise<TurnEnd | undefined> | TurnEnd | undefined | void | Promise<void>;

/** Records an assistant message of one text block; an empty text records one without blocks, as a call that only reports usage does. */
export function says(text: string, usage?: Usage): Step {
  return async (turn) => {
    const content = text === '' ? [] : [{ type: 'text', text } as const];
    await turn.record({ role: 'assistant', content, ...(usage !== undefined && { usage }) });
  };
}

/** Streams text that is not recorded. */
export function streams(...texts: readonly string[]): Step {
  return (turn) => {
    for (const text of texts) turn.stream({ type: 'text', text });
  };
}

let calls = 0;

/** Records a call, runs the tool as a driver would, and records its result. What the tool throws becomes an error result. */
export function callsTool(toolName: string, input: JsonValue = {}): Step {
  return (turn, record) => callsTogether([toolName, input])(turn, record);
}

/** Several calls in one assistant message, run side by side, their results recorded together. */
export function callsTogether(...wanted: readonly (readonly [toolName: string, input?: JsonValue])[]): Step {
  return async (turn, record) => {
    const blocks = wanted.map(([toolName, input = {}]) => ({
      ...({ type: 'tool-call', callId: `call-${++calls}` } as const),
      toolName,
      input,
    }));
    const seq = await turn.record({ role: 'assistant', content: blocks });
    await turn.check();
    const results = await Promise.all(
      blocks.map(async ({ callId, toolName, input }) => {
        const idempotencyKey = `${turn.agent.id}:${seq}:${callId}`;
        try {
          const output = await toolOf(turn, toolName).execute(input, {
            agent: turn.agent,
            signal: turn.signal,
            callId,
            idempotencyKey,
          });
          return { type: 'tool-result', callId, toolName, output } as const;
        } catch (error) {
          return { type: 'tool-result', callId, toolName, output: (error as Error).message, isError: true } as const;
        }
      }),
    );
    record.results.push(...results);
    await turn.record({ role: 'tool', content: results });
  };
}

function toolOf(turn: Turn, name: string): AgentTool {
  const tool = turn.tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** Records a call and no result, as a turn does that is cut off while the tool runs. */
export function leavesCallOpen(toolName: string, callId = `call-${++calls}`): Step {
  return async (turn) => {
    await turn.record({ role: 'assistant', content: [{ type: 'tool-call', callId, toolName, input: {} }] });
  };
}

export function throws(error: unknown): Step {
  return () => {
    throw error;
  };
}

export function ends(stopReason: SubagentStopReason, diagnostic?: string): Step {
  return () => ({ stopReason, ...(diagnostic !== undefined && { diagnostic }) });
}

/** Waits at the gate. Ends as `aborted` when the turn is stopped, as a good driver does. Without a gate it waits for the stop only. */
export function waitsAt(place?: Gate): Step {
  return async (turn) => {
    const isAborted = await unlessAborted(place?.pass() ?? new Promise(() => undefined), turn.signal);
    return isAborted ? { stopReason: 'aborted' } : undefined;
  };
}

/** Waits at the gate, deaf to the stop of the turn. Without a gate it hangs for ever. */
export function ignoresStopAt(place?: Gate): Step {
  return async () => {
    await (place?.pass() ?? new Promise(() => undefined));
  };
}

/** Keeps the turn after it has ended and uses it when the gate opens; what comes of that is in `record.afterlife`. */
export function afterEndAt(place: Gate, use: (turn: Turn) => Promise<unknown> | unknown): Step {
  return (turn, record) => {
    record.afterlife = place.pass().then(() => use(turn));
    record.afterlife.catch(() => undefined);
  };
}

/** Hands in a structured result. A refusal is kept in `record.refusals`, as a driver would show it to its model. */
export function submits(value: JsonValue): Step {
  return async (turn, record) => {
    await turn.submitResult(value).catch((error: unknown) => void record.refusals.push(error));
  };
}

/** Takes what was accepted for the next step boundary. */
export function takesSteering(): Step {
  return async (turn, record) => {
    record.steering.push(...(await turn.takeSteering()));
  };
}

export function does(work: Step): Step {
  return work;
}
