/** What the control tools need of a runtime, and how they read their input. A refusal says that nothing was done. */
import type { Agent } from '../agents/agent.ts';
import { SubagentError, toSubagentError } from '../errors.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { JsonValue } from '../sessions/json.ts';
import { shortened } from '../sessions/one-line.ts';
import { reading } from '../sessions/outside.ts';

export interface ControlPort {
  sendMessage(
    sender: Agent,
    targetId: string,
    content: readonly ContentBlock[],
    options: { signal: AbortSignal },
  ): Promise<string>;
  interrupt(targetId: string, authority: { kind: 'ancestor'; agent: Agent }): void;
  listAgents(root: Agent, scope: 'children' | 'descendants', signal: AbortSignal): Promise<readonly ListedAgent[]>;
}

/** One line of `list_agents`. */
export interface ListedAgent {
  readonly id: string;
  readonly label?: string;
  readonly mode?: string;
  readonly activity: 'running' | 'inactive';
  /** Why it cannot be read, if it cannot. */
  readonly reason?: string | undefined;
  readonly parentId?: string;
  readonly depth?: number;
}

/** The texts of `names` from a tool's input. Throws `INVALID_ARGUMENT` for a missing, empty or unknown field. */
export function readTexts<Name extends string>(
  input: JsonValue,
  names: readonly Name[],
  optional: readonly Name[] = [],
): Record<Name, string> {
  const given = readInput(input);
  const unknown = Object.keys(given).filter((key) => !(names as readonly string[]).includes(key));
  if (unknown.length > 0)
    throw invalid(
      `unknown input: ${unknown
        .slice(0, 5)
        .map((key) => shortened(key))
        .join(', ')}`,
    );
  const texts = {} as Record<Name, string>;
  for (const name of names) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && optional.includes(name)) continue;
    if (typeof value !== 'string' || value === '') throw invalid(`${name} is a non-empty text`);
    texts[name] = value;
  }
  return texts;
}

/** The own fields of a tool's input, each read once. Throws `INVALID_ARGUMENT` for what is no object. */
export function readInput(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input !== 'object' || input === null) throw invalid('the input is an object');
  return reading('the input', () => {
    if (Array.isArray(input)) throw invalid('the input is an object');
    return { ...input };
  });
}

/** Runs `act`; what it refuses with reaches the model as an error that says so, unless nobody knows what became of it. */
export async function refusing<Value>(nothing: string, act: () => Promise<Value> | Value): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    // the words of an error that is not ours are for the host, not for a model
    const { code, message } = toSubagentError(error, 'OUTCOME_UNKNOWN', 'the operation failed in an unforeseen way');
    const outcome = code === 'OUTCOME_UNKNOWN' ? 'it may have taken effect all the same' : nothing;
    throw new SubagentError(code, message.includes(outcome) ? message : `${message}; ${outcome}`, { cause: error });
  }
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
