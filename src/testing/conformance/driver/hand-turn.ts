/**
 * A turn made by hand, kept in memory. It numbers what is recorded as a log would, and calls the given hooks at exact moments, so
 * that a test can send a message or interrupt there without waiting for time to pass.
 */
import type { Agent } from '../../../agents/agent.ts';
import type { Turn, TurnDelta, TurnEntry } from '../../../agents/driver.ts';
import { SubagentError } from '../../../errors.ts';
import type { ContentBlock, ToolResultBlock, TranscriptEntry } from '../../../sessions/content.ts';
import type { SessionHeader } from '../../../sessions/event.ts';
import { type MessageId, toSessionId } from '../../../sessions/ids.ts';
import type { JsonValue } from '../../../sessions/json.ts';
import type { InboxMessage, MessageSource } from '../../../sessions/message.ts';
import { imbalanceOf } from './balance.ts';

export interface HandTurnSetup extends Partial<Pick<Turn, 'agent' | 'tools' | 'outputSchema' | 'options' | 'instructions'>> {
  /** What the model is to be shown at the start; one question of a person unless given. */
  readonly history?: readonly TranscriptEntry[];
  onCheck?(turn: HandTurn): void | Promise<void>;
  onDelta?(delta: TurnDelta, turn: HandTurn): void;
  /** Runs before the entry is committed; what it throws is what `record` rejects with. */
  onRecord?(entry: TurnEntry, turn: HandTurn): void | Promise<void>;
  onSubmit?(value: JsonValue, turn: HandTurn): void | Promise<void>;
  onSteering?(turn: HandTurn): void | Promise<void>;
}

export interface HandTurn extends Turn {
  /** What was committed, with sequence numbers, in order. */
  readonly log: readonly (TurnEntry & { readonly seq: number })[];
  readonly deltas: readonly TurnDelta[];
  /** What the driver asked of the turn, in order: `check`, `record assistant`, `record tool`, `steering`, `submit`. */
  readonly trace: string[];
  /** Everything that would change the world: what was recorded, streamed and handed in, refused or not. */
  readonly effects: readonly string[];
  readonly submitted: readonly JsonValue[];
  /** A message that is accepted now. */
  steer(text: string, source?: MessageSource): void;
  interrupt(): void;
  /** From now on nothing is recorded. */
  revoke(): void;
  /** In the order of the calls, as the history shows them. */
  readonly results: readonly ToolResultBlock[];
  /** Text of all recorded answers. */
  readonly said: string;
}

const worker: Agent = { id: toSessionId('child-1'), depth: 1, cwd: '/project', label: 'worker' };

export function handTurn(setup: HandTurnSetup = {}): HandTurn {
  const { agent = worker, history = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] } = setup;
  const controller = new AbortController();
  const effects: string[] = [];
  const log: (TurnEntry & { seq: number })[] = [];
  const deltas: TurnDelta[] = [];
  const trace: string[] = [];
  const submitted: JsonValue[] = [];
  const waiting: InboxMessage[] = [];
  let nextSeq = 41;
  let isRevoked = false;
  const refuseIfRevoked = () => {
    if (isRevoked) throw new SubagentError('FENCED', 'this turn may write no more');
  };
  const turn: HandTurn = {
    ...{ agent, turnId: 'turn-1', header: headerOf(agent), input: inputOf(history), log, deltas, trace, effects, submitted },
    instructions: setup.instructions,
    options: setup.options ?? {},
    tools: setup.tools ?? [],
    outputSchema: setup.outputSchema,
    signal: controller.signal,
    history: async () => history,
    async takeSteering() {
      trace.push('steering');
      await setup.onSteering?.(turn);
      refuseIfRevoked();
      nextSeq += 1;
      return waiting.splice(0);
    },
    async record(entry) {
      effects.push(`record ${entry.role}`);
      await setup.onRecord?.(entry, turn);
      refuseIfRevoked();
      trace.push(`record ${entry.role}`);
      log.push({ ...structuredClone(entry), seq: nextSeq });
      nextSeq += 1;
      return nextSeq - 1;
    },
    async check() {
      trace.push('check');
      await setup.onCheck?.(turn);
      refuseIfRevoked();
    },
    stream(delta) {
      effects.push(`stream ${delta.type}`);
      deltas.push(delta);
      setup.onDelta?.(delta, turn);
    },
    async submitResult(value) {
      trace.push('submit');
      effects.push('submit');
      await setup.onSubmit?.(value, turn);
      submitted.push(value);
    },
    steer: (text, source = { kind: 'user', form: 'prompt' }) => {
      const content: ContentBlock[] = [{ type: 'text', text }];
      waiting.push({ messageId: `message-${text}` as MessageId, lane: 'step', wakes: true, source, content });
    },
    interrupt: () => controller.abort(),
    revoke: () => {
      isRevoked = true;
    },
    get results() {
      const calls = log.flatMap((entry) => entry.content.flatMap((block) => (block.type === 'tool-call' ? [block.callId] : [])));
      const results = log.flatMap((entry) => (entry.role === 'tool' ? entry.content : []));
      return results.sort((one, other) => calls.indexOf(one.callId) - calls.indexOf(other.callId));
    },
    get said() {
      return log.flatMap((entry) => entry.content.map((block) => (block.type === 'text' ? block.text : ''))).join('');
    },
  };
  return turn;
}

/** What opened the turn: the last user entry of the history. */
function inputOf(history: readonly TranscriptEntry[]): readonly InboxMessage[] {
  const last = history.at(-1);
  if (last?.role !== 'user') return [];
  const source = { kind: 'user', form: 'prompt' } as const;
  return [{ messageId: 'message-1' as MessageId, lane: 'turn', wakes: true, source, content: last.content }];
}

function headerOf({ id, cwd }: Agent): SessionHeader {
  return {
    version: 1,
    id,
    createdAt: 0,
    cwd,
    project: cwd,
    delegationDepth: 1,
    isSeeded: false,
    inheritedEvents: 0,
  };
}

/** What is unbalanced in what was recorded (P18), or undefined. Results may come one by one: the history shows them as one entry. */
export function imbalanceOfLog(turn: HandTurn): string | undefined {
  const steps: { role: string; calls: string[]; results: string[] }[] = [];
  for (const { role, content } of turn.log) {
    const results = content.flatMap((block) => (block.type === 'tool-result' ? [block.callId] : []));
    const last = steps.at(-1);
    if (role === 'tool' && last?.role === 'tool') last.results.push(...results);
    else steps.push({ role, calls: content.flatMap((block) => (block.type === 'tool-call' ? [block.callId] : [])), results });
  }
  return imbalanceOf(steps);
}
