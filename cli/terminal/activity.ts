/** What the agents of a run are doing, folded from the events of the runtime. */
import type { NewSessionEvent, SubagentEvent } from '../../src/index.ts';

export interface AgentActivity {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly label: string;
  readonly depth: number;
  /** `running`, `waiting`, `interrupted`, or how it ended. */
  readonly state: string;
  readonly isOver: boolean;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many messages the agent above has sent it. */
  readonly steered: number;
  /** Whether the agent above has asked for the end of what it does. */
  readonly isInterrupted: boolean;
  /** The tool that it called last. */
  readonly tool: string | undefined;
  /** Milliseconds, of the clock that was given. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

type Row = { -readonly [Key in keyof AgentActivity]: AgentActivity[Key] };

export class Activity {
  readonly #rows = new Map<string, Row>();
  readonly #now: () => number;

  constructor(root: { readonly id: string; readonly label: string }, now: () => number) {
    this.#now = now;
    this.#rows.set(root.id, this.#newRow(root.id, undefined, root.label, 0));
  }

  /** In the order in which they started. */
  get agents(): readonly AgentActivity[] {
    return [...this.#rows.values()];
  }

  /** Returns the agent that the event is about, after it; undefined if it changes nothing that is shown. */
  take(event: SubagentEvent): AgentActivity | undefined {
    switch (event.type) {
      case 'subagent/start': {
        const before = this.#rows.get(event.id);
        const row = this.#newRow(event.id, event.parentId, event.label, event.depth);
        if (before !== undefined) Object.assign(row, { turns: before.turns, steered: before.steered });
        this.#rows.set(event.id, row);
        return row;
      }
      case 'subagent/end': {
        const row = this.#rows.get(event.id);
        if (row === undefined) return undefined;
        const state = event.stopReason === 'aborted' && row.isInterrupted ? 'interrupted' : event.stopReason;
        Object.assign(row, { state, isOver: true, endedAt: this.#now() });
        return row;
      }
      case 'session/appended': {
        const row = this.#rows.get(event.agentId);
        if (row === undefined || row.isOver) return undefined;
        for (const appended of event.events) {
          applyEvent(row, appended);
          for (const id of interruptedIn(appended)) this.#interrupt(id);
        }
        return row;
      }
      default:
        return undefined;
    }
  }

  /** For the top-level agent, of whose end there is no event. */
  end(id: string, state: string): void {
    const row = this.#rows.get(id);
    if (row !== undefined && !row.isOver) Object.assign(row, { state, isOver: true, endedAt: this.#now() });
  }

  /** Milliseconds that the agent has been at work. */
  elapsedMs({ startedAt, endedAt }: AgentActivity): number {
    return (endedAt ?? this.#now()) - startedAt;
  }

  #interrupt(id: string): void {
    const row = this.#rows.get(id);
    if (row !== undefined) row.isInterrupted = true;
  }

  #newRow(id: string, parentId: string | undefined, label: string, depth: number): Row {
    const counts = { turns: 0, inputTokens: 0, outputTokens: 0, steered: 0, isInterrupted: false };
    const times = { startedAt: this.#now(), endedAt: undefined };
    return { id, parentId, label, depth, state: 'running', isOver: false, tool: undefined, ...counts, ...times };
  }
}

function applyEvent(row: Row, event: NewSessionEvent): void {
  if (event.type === 'turn/started') {
    row.turns++;
    row.state = 'running';
  } else if (event.type === 'turn/ended') {
    row.state = event.data.stopReason === 'aborted' && row.isInterrupted ? 'interrupted' : 'waiting';
    row.tool = undefined;
  } else if (event.type === 'inbox/inserted') {
    const { source } = event.data;
    if (source.kind === 'agent-message' && source.senderSessionId === row.parentId) row.steered++;
  } else if (event.type === 'assistant/message') {
    row.inputTokens += event.data.usage?.inputTokens ?? 0;
    row.outputTokens += event.data.usage?.outputTokens ?? 0;
    row.tool = event.data.content.findLast((block) => block.type === 'tool-call')?.toolName;
  }
}

/** The agents that a step asks to interrupt. */
function interruptedIn(event: NewSessionEvent): string[] {
  if (event.type !== 'assistant/message') return [];
  return event.data.content.flatMap((block) => {
    if (block.type !== 'tool-call' || block.toolName !== 'interrupt_agent') return [];
    const { agent_id: id } = (block.input ?? {}) as { agent_id?: unknown };
    return typeof id === 'string' ? [id] : [];
  });
}
