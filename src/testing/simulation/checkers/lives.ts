/** What is told of lives: each begins and ends once, never two of one session at a time in a process, children before parents. */
import type { SubagentEvent, SubagentRunInfo } from '../../../registry/event-hub.ts';
import type { SessionId } from '../../../sessions/ids.ts';
import type { SimulatedProcess } from '../process.ts';
import type { Checker, Simulation } from '../simulation.ts';

interface Life {
  readonly id: string;
  readonly parentId: string;
}

export function livesChecker(simulation: Simulation): Checker {
  const seen = new Set<string>();
  const lives = new Map<SimulatedProcess, Map<string, Life>>();

  function hear(live: Map<string, Life>, event: SubagentEvent): void {
    if (event.type !== 'subagent/start' && event.type !== 'subagent/end') return;
    const { runId, id, parentId } = event;
    if (event.type === 'subagent/start') {
      if (seen.has(runId)) simulation.say(`activation ${runId} of ${id} began twice (S5.5)`);
      if ([...live.values()].some((life) => life.id === id)) simulation.say(`two activations of ${id} live at a time (S2.2)`);
      seen.add(runId);
      if (event.local) judgeStart(simulation, event).catch((error: unknown) => simulation.say(`a check failed: ${error}`));
      live.set(runId, { id, parentId });
      return;
    }
    if (!live.delete(runId)) simulation.say(`activation ${runId} of ${id} ended and was not live (S5.5)`);
    for (const life of live.values()) if (life.parentId === id) simulation.say(`${id} ended before its child ${life.id} (S2.4)`);
  }

  return {
    opened(process) {
      const live = new Map<string, Life>();
      lives.set(process, live);
      process.runtime.events$.subscribe((event) => {
        if (process.isAlive) hear(live, event);
      });
    },
    died: (process) => void lives.delete(process),
    closed(process) {
      for (const { id } of lives.get(process)?.values() ?? []) simulation.say(`the end of ${id} was never told (S5.5)`);
    },
  };
}

/** It is told of when its parent lists it, and before its first turn (S5.5). */
async function judgeStart(simulation: Simulation, { id, parentId }: SubagentRunInfo): Promise<void> {
  const { image } = simulation.database;
  const listed = await image.children(parentId as SessionId);
  if (!listed.some(({ data }) => data.id === id))
    simulation.say(`the start of ${id} was told before its parent listed it (S1.6)`);
  const head = await image.head(id as SessionId);
  const own = await image.read(id as SessionId, head?.header.inheritedEvents);
  const hasRun = own.some((event) => event.type === 'turn/started' && event.data.epoch === head?.epoch);
  if (hasRun) simulation.say(`the start of ${id} was told after its first turn (S5.5)`);
}
