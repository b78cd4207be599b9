/** One way to spoil the recorded tree, with the rule that must report it. */
import type { TraceRuleName } from '../../../../src/testing/trace/rules.ts';
import type { Draft } from '../draft.ts';

export interface Mutation {
  readonly rule: TraceRuleName;
  /** Other rules that cannot but report it too. */
  readonly also?: readonly TraceRuleName[];
  /** Whether everything is expected to be at rest. */
  readonly isSettled?: true;
  spoil(draft: Draft): void;
}

/** By what was done. */
export type Mutations = Readonly<Record<string, Mutation>>;
