/** When nothing goes wrong any more: everything that was accepted is worked off, and all agents but the host's own settle (R13). */
import type { RecoveryReport } from '../../../src/registry/recover.ts';
import type { OpenHost } from './open-host.ts';

const roundsMax = 60;

export async function tidyUp(open: OpenHost): Promise<void> {
  const { host, process } = open;
  for (let round = 0; round < roundsMax; round++) {
    open.root = process.registry.residents.has(open.root.id) && (await isUsable(open)) ? open.root : await open.openRoot();
    await host.runtime.recover();
    await wakeAll(open);
    await host.pause(2_000);
    await open.root.whenQuiet();
    // what lost its session meanwhile, because a write was too slow, goes on as well
    if (isSettled(open) && hasNothingLeft(await host.runtime.recover())) return;
    await host.pause(20_000);
  }
  throw new Error(`agents do not settle: ${[...process.registry.residents.keys()].join(', ')}`);
}

/** What is below an agent of the other host is the other's affair. */
function hasNothingLeft({ resumed, told, removed, waiting }: RecoveryReport): boolean {
  const own = waiting.filter(({ reason }) => reason !== 'parent-not-open');
  return resumed.length + told.length + removed.length + own.length === 0;
}

async function isUsable({ root }: OpenHost): Promise<boolean> {
  try {
    await root.prompt('are you there?');
    return true;
  } catch {
    return false; // closed, closing or lost: it is opened again
  }
}

/** An agent that was interrupted stays until it is spoken to. */
async function wakeAll({ host, process, simulation }: OpenHost): Promise<void> {
  for (const { kind, id, parent, isOpened } of process.registry.residents.values()) {
    if (kind !== 'local' || parent === undefined || !isOpened) continue;
    const request = {
      parentId: parent.id,
      childId: id,
      requestId: `wake ${simulation.schedule.steps}`,
      delivery: 'queue',
    } as const;
    try {
      await host.runtime.prompt({ ...request, content: [{ type: 'text', text: 'go on' }] });
    } catch {
      // it has ended meanwhile, or takes nothing any more: the next round looks again
    }
  }
}

function isSettled({ process, root }: OpenHost): boolean {
  const { residents, externals } = process.registry;
  return externals.size === 0 && [...residents.keys()].every((id) => id === root.id);
}
