/**
 * Where the embedded model works: it asks for what it needs, gets what is in the prompt already, and what is missing
 * becomes the next tool calls. A decision is thus a plain function that is run again after each step.
 */
import { parseAnswer } from './answer.ts';
import { sameList } from './check.ts';
import type { Conversation, PastCall, Reply } from './conversation.ts';
import type { Settled } from './notices.ts';
import { parseTask, renderTask, type SurveyTask } from './task.ts';

export interface Call {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Desk {
  readonly canDelegate: boolean;
  /** Undefined until the result is there. */
  ask(toolName: string, input: Readonly<Record<string, unknown>>): Reply | undefined;
  /** The answers of the children that do these parts, in their order. */
  delegate(parts: readonly DelegatedPart[]): readonly (Reply | undefined)[];
  /** The parts that were given to `delegate`, each with its answer. */
  readonly parts: readonly (DelegatedPart & { readonly reply: Reply | undefined })[];
  /** The calls to make now, `more` among them. Empty if nothing is missing that a call would bring. */
  nextCalls(more?: readonly Call[]): readonly Call[];
  /** How many children are at work on parts and report by notice. */
  awaited(): number;
}

export interface DelegatedPart {
  readonly label: string;
  readonly paths: readonly string[];
}

/** How many children work at a time; the tool runs them side by side, and each may have children of its own. */
const batchMax = 4;
/** While one more agent watches the tree; eight then have room for the children of each. */
const batchMaxWatched = 3;
/** How many other calls go out in one step. */
const callsMax = 12;

/** `isWatched`: one of the agents that may live below this one is taken. */
export function createDesk(conversation: Conversation, task: SurveyTask, isWatched = false): Desk {
  const agents = task.agentsBelow - (isWatched ? 1 : 0);
  const size = Math.min(isWatched ? batchMaxWatched : batchMax, agents);
  const known = new Map(conversation.calls.map((call) => [keyOf(call), call.reply]));
  const wanted = new Map<string, Call>();
  const wantedParts: { readonly batch: number; readonly call: Call }[] = [];
  const awaited = new Set<string>();
  const given: Desk['parts'][number][] = [];
  const delegateInput = conversation.tools.get('delegate');

  function delegate(parts: readonly DelegatedPart[]): (Reply | undefined)[] {
    return parts.map((part, index) => {
      const reply = known.get(partKey(part.paths)) ?? settledReply(conversation.settled, part);
      given.push({ ...part, reply });
      if (reply !== undefined) return reply;
      if ([...conversation.open.values()].includes(part.label)) awaited.add(part.label);
      else {
        // how many agents a part may have depends on its place alone, so that a part that is given again is done alike
        const batch = Math.floor(index / size);
        const together = Math.min(size, parts.length - batch * size);
        wantedParts.push({ batch, call: delegation(part, Math.floor((agents - together) / together)) });
      }
      return undefined;
    });
  }

  function delegation({ label, paths }: DelegatedPart, agentsBelow: number): Call {
    const { levelsBelow, question } = task;
    const prompt = renderTask({
      paths,
      agentsBelow,
      levelsBelow: levelsBelow - 1,
      answer: 'part',
      ...(question === undefined ? {} : { question }),
    });
    const isForeground = delegateInput?.includes('run_in_background') ? { run_in_background: false } : {};
    return { toolName: 'delegate', input: { description: label, prompt, ...isForeground } };
  }

  /** One batch at a time, after those that are still at work. */
  function nextDelegations(): Call[] {
    const [first] = wantedParts;
    return awaited.size > 0 ? [] : wantedParts.filter(({ batch }) => batch === first?.batch).map(({ call }) => call);
  }

  return {
    canDelegate: delegateInput !== undefined && agents > 0 && task.levelsBelow > 0,
    ask(toolName, input) {
      if (!conversation.tools.has(toolName)) return { ok: false, reason: `there is no tool ${toolName}` };
      const key = keyOf({ toolName, input });
      if (!known.has(key)) wanted.set(key, { toolName, input });
      return known.get(key);
    },
    delegate,
    parts: given,
    nextCalls: (more = []) => [...[...wanted.values()].slice(0, callsMax), ...more, ...nextDelegations()],
    awaited: () => awaited.size,
  };
}

/** A child whose call was cut off has reported to the agent: by the paths that it answers for, or that it failed. */
function settledReply(settled: readonly Settled[], { label, paths }: DelegatedPart): Reply | undefined {
  const answer = settled.findLast(({ text }) => sameList(parseAnswer(text)?.paths ?? [], paths));
  if (answer?.stopReason === 'completed') return { ok: true, value: answer.text };
  const end = answer ?? settled.findLast((one) => one.label === label);
  if (end === undefined) return undefined;
  return end.stopReason === 'completed'
    ? { ok: true, value: end.text }
    : { ok: false, reason: `subagent ${end.id} ended: ${end.stopReason}` };
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
