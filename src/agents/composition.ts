import type { AgentOptions } from '../sessions/event.ts';
import type { AgentDriver } from './driver.ts';
import type { AgentTool } from './tool.ts';

/** What an agent is made of, apart from its history. A child joins its parent's unless a preset is named. */
export interface AgentComposition {
  readonly driver: AgentDriver;
  /** The system prompt. */
  readonly instructions?: string;
  readonly tools?: readonly AgentTool[];
  readonly options?: AgentOptions;
}
