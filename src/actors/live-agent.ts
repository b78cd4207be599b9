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
    const cwd = typeof this.#cwd === 'string' ? this.#cwd : syncAnswer<unknown>(this.#cwd());
    if (typeof cwd !== 'string') throw new Error('the host gave a directory that is no path');
    return cwd;
  }
}

export interface AgentFacts {
  readonly id: string;
  readonly label: string;
  readonly depth: number;
  readonly cwd: string | (() => string);
}
