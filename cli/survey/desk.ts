/**
 * Where the embedded model works: it asks for what it needs, gets what is in the prompt already, and what is missing
 * becomes the next tool calls. A decision is thus a plain function that is run again after each step.
 */
import type { Conversation, PastCall, Reply } from './conversation.ts';
import { parseTask, renderTask, type SurveyTask } from './task.ts';

export interface Call {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Desk {
  readonly canDelegate: boolean;
  /** Undefined until the result is there. */
  ask(toolName: string, input: Readonly<Record<string, unknown>>): Reply | undefined;
  /** The answer of the child that does this part. */
  delegate(part: DelegatedPart): Reply | undefined;
  /** The calls to make now. Empty if nothing is missing. */
  nextCalls(): readonly Call[];
}

export interface DelegatedPart {
  readonly label: string;
  readonly paths: readonly string[];
}

/** How many children work at a time; the tool runs them side by side, and each may have children of its own. */
const batchMax = 4;
/** How many other calls go out in one step. */
const callsMax = 12;

export function createDesk(conversation: Conversation, task: SurveyTask): Desk {
  const known = new Map(conversation.calls.map((call) => [keyOf(call), call.reply]));
  const wanted = new Map<string, Call>();
  const wantedParts = new Map<string, DelegatedPart>();
  const delegateInput = conversation.tools.get('delegate');

  function nextCalls(): readonly Call[] {
    const batch = [...wantedParts.values()].slice(0, Math.min(batchMax, task.agentsBelow));
    const agentsBelow = Math.floor((task.agentsBelow - batch.length) / Math.max(1, batch.length));
    const delegations = batch.map((part) => ({
      toolName: 'delegate',
      input: {
        description: part.label,
        prompt: renderTask({
          paths: part.paths,
          agentsBelow,
          levelsBelow: task.levelsBelow - 1,
          answer: 'part',
          ...(task.question === undefined ? {} : { question: task.question }),
        }),
        ...(delegateInput?.includes('run_in_background') ? { run_in_background: false } : {}),
      },
    }));
    return [...[...wanted.values()].slice(0, callsMax), ...delegations];
  }

  return {
    canDelegate: delegateInput !== undefined && task.agentsBelow > 0 && task.levelsBelow > 0,
    ask(toolName, input) {
      if (!conversation.tools.has(toolName)) return { ok: false, reason: `there is no tool ${toolName}` };
      const key = keyOf({ toolName, input });
      if (!known.has(key)) wanted.set(key, { toolName, input });
      return known.get(key);
    },
    delegate(part) {
      const key = partKey(part.paths);
      if (!known.has(key)) wantedParts.set(key, part);
      return known.get(key);
    },
    nextCalls,
  };
}

/** A delegation is known by its paths: how many agents it may have depends on the batch it went out with. */
function keyOf({ toolName, input }: Pick<PastCall, 'toolName' | 'input'>): string {
  const prompt = toolName === 'delegate' ? (input as { prompt?: unknown } | null)?.prompt : undefined;
  const task = typeof prompt === 'string' ? parseTask(prompt) : undefined;
  return task === undefined ? `${toolName} ${JSON.stringify(sorted(input))}` : partKey(task.paths);
}

function partKey(paths: readonly string[]): string {
  return `part ${JSON.stringify(paths)}`;
}

function sorted(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  return Object.entries(input).sort(([left], [right]) => (left < right ? -1 : 1));
}
