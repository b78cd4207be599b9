/** For the project's own tests and benchmarks; not published as an entry. */
export { bounded } from './actors/bounded.ts';
export { Inbox } from './agents/inbox.ts';
export { createRegistry, type RuntimeParts } from './registry/create-runtime.ts';
export type { Registry } from './registry/registry.ts';
export { SubagentRuntime } from './registry/runtime.ts';
export { completedTurns, foldSession } from './sessions/fold.ts';
export { Session } from './sessions/session.ts';
export { foldTranscript } from './sessions/transcript.ts';
