/** How deep delegation may go (S1.12). A top-level agent has depth 0, its children 1. */
import { SubagentError } from '../errors.ts';

/** The depth of a new child, local or external. `maxDepth` of the request wins over the setting. */
export function checkDepth(parentDepth: number, maxDepth: unknown, settingMax: number): number {
  const depth = parentDepth + 1;
  if (!Number.isSafeInteger(depth)) throw new SubagentError('DEPTH_EXCEEDED', 'the depth of the child cannot be counted');
  if (maxDepth !== undefined) checkDepthLimit(maxDepth);
  const limit = (maxDepth as number | undefined) ?? settingMax;
  if (depth > limit) {
    throw new SubagentError('DEPTH_EXCEEDED', `the child would have depth ${depth}; the limit is ${limit}`);
  }
  return depth;
}

export type ConfiguredDepth = number | 'provider-managed' | undefined;

/** The limit that a tool passes on: its own, none if its provider manages depth, else the user's setting. */
export function resolveMaxDepth(configured: ConfiguredDepth, settingMax: number): number | undefined {
  if (configured === undefined) return settingMax;
  if (configured === 'provider-managed') return undefined;
  checkDepthLimit(configured);
  return configured;
}

function checkDepthLimit(limit: unknown): void {
  if (!Number.isSafeInteger(limit) || (limit as number) < 0) {
    throw new SubagentError('INVALID_ARGUMENT', 'a depth limit is a non-negative safe integer');
  }
}
