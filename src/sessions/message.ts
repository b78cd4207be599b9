/** Messages in an inbox, and who may have sent them. The source records; it grants nothing. */
import type { ContentBlock } from './content.ts';
import type { MessageId, SessionId } from './ids.ts';

/** A parent's or child's own words. */
export interface AgentMessageSource {
  readonly kind: 'agent-message';
  readonly form: 'relay';
  readonly senderSessionId: SessionId;
}
/** The runtime's word that an activation of a child is over. */
export interface SubagentSettledMessageSource {
  readonly kind: 'subagent-settled';
  readonly form: 'notice';
  readonly summary: string;
  readonly senderSessionId: string;
}
/** The task with which a child was started. */
export interface DelegationSource {
  readonly kind: 'delegation';
  readonly form: 'prompt';
  readonly senderSessionId: SessionId;
}
/** A person, through the host. */
export interface UserMessageSource {
  readonly kind: 'user';
  readonly form: 'prompt';
  readonly requestId?: string;
  readonly timeZone?: string;
}
/** Context that the host laid beside the conversation; it wakes nobody. */
export interface ContextSource {
  readonly kind: 'context';
  readonly form: 'inject';
}
/** The runtime's word that the last turn of the agent was cut off when its process ended. */
export interface TurnInterruptedSource {
  readonly kind: 'turn-interrupted';
  readonly form: 'notice';
}
export type MessageSource =
  | AgentMessageSource
  | SubagentSettledMessageSource
  | DelegationSource
  | UserMessageSource
  | ContextSource
  | TurnInterruptedSource;

/** `turn`: one message opens one turn. `step`: all that wait are taken together at the next step boundary. */
export type InboxLane = 'turn' | 'step';

export interface InboxMessage {
  readonly messageId: MessageId;
  readonly lane: InboxLane;
  /** False for parked context and for notices to an agent that is being torn down: such a message waits for another to wake the agent. */
  readonly wakes: boolean;
  readonly source: MessageSource;
  readonly content: readonly ContentBlock[];
}
