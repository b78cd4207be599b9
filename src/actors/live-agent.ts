import { isAbsolute } from 'node:path';
import type { Agent } from '../agents/agent.ts';
import { syncAnswer } from '../agents/sync-answer.ts';

/** The one object that is this activation's authority. Frozen; its directory is asked of the host each time, if the host gave a function. */
export class LiveAgent implements Agent {
  readonly id: Agent['id'];
  readonly depth: number;
  readonly label: string;
  readonly #cwd: string | (() => string);

  constructor(setup: AgentFacts) {
    this.id = setup.id as Agent['id'];
    this.depth = setup.depth;
    this.label = setup.label;
    this.#cwd = setup.cwd;
    Object.freeze(this);
  }

  get cwd(): string {
    if (typeof this.#cwd === 'string') return this.#cwd;
    const cwd = syncAnswer<unknown>(this.#cwd());
    if (typeof cwd !== 'string' || !isAbsolute(cwd)) throw new Error('the host gave a directory that is no absolute path');
    return cwd;
  }
}

export interface AgentFacts {
  readonly id: string;
  readonly label: string;
  readonly depth: number;
  readonly cwd: string | (() => string);
}
