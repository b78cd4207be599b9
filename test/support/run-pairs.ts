import type { SubagentEvent } from '../../src/registry/event-hub.ts';

/** What is wrong with the starts and ends of these events: each run has one of both, in this order, under one lineage (P34). */
export function unpaired(events: readonly SubagentEvent[]): string[] {
  const faults: string[] = [];
  const open = new Map<string, SubagentEvent & { type: 'subagent/start' }>();
  const closed = new Set<string>();
  for (const event of events) {
    if (event.type === 'subagent/start') {
      if (open.has(event.runId) || closed.has(event.runId)) faults.push(`${event.runId} starts twice`);
      if (event.parentId === '' || event.id === '' || event.depth < 1) faults.push(`${event.runId} has no lineage`);
      if ([...open.values()].some(({ id }) => id === event.id)) faults.push(`${event.id} lives twice at once`);
      open.set(event.runId, event);
    }
    if (event.type !== 'subagent/end') continue;
    const start = open.get(event.runId);
    if (start === undefined) faults.push(`${event.runId} ends ${closed.has(event.runId) ? 'twice' : 'without a start'}`);
    else if (start.id !== event.id || start.parentId !== event.parentId) faults.push(`${event.runId} changes its lineage`);
    if ([...open.values()].some(({ parentId }) => parentId === event.id)) faults.push(`${event.id} ends before its children`);
    open.delete(event.runId);
    closed.add(event.runId);
  }
  return [...faults, ...[...open.keys()].map((runId) => `${runId} never ends`)];
}
