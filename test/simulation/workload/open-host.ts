/** What a host does when its process starts: it opens its agent, as soon as nobody else has it, and lets go on what was cut off. */
import { errorCode } from '../../../src/errors.ts';
import type { SubagentActivation } from '../../../src/providers/contract.ts';
import { forkProvider } from '../../../src/providers/fork.ts';
import { spawnProvider } from '../../../src/providers/spawn.ts';
import type { OpenAgent } from '../../../src/registry/top-level-handle.ts';
import type { SimulatedHost } from '../../../src/testing/simulation/host.ts';
import type { SimulatedProcess } from '../../../src/testing/simulation/process.ts';
import type { Simulation } from '../../../src/testing/simulation/simulation.ts';
import { delegateTool } from '../../../src/tools/delegate.ts';
import { interruptAgentTool } from '../../../src/tools/interrupt-agent.ts';
import { listAgentsTool } from '../../../src/tools/list-agents.ts';
import { RandomDriver } from './driver.ts';
import type { Ledger } from './ledger.ts';
import type { Asked } from './person.ts';
import { remoteProvider } from './remote.ts';
import type { Runs } from './runs.ts';
import type { Scope } from './scope.ts';
import type { Status } from './status.ts';
import type { Turns } from './turns.ts';

/** What is to be told of stops and results. */
export interface Watch {
  readonly scope: Scope;
  readonly status: Status;
  readonly runs: Runs;
  readonly turns: Turns;
}

export interface OpenHost extends Watch {
  readonly simulation: Simulation;
  readonly host: SimulatedHost;
  readonly process: SimulatedProcess;
  readonly ledger: Ledger;
  readonly driver: RandomDriver;
  /** Its own top-level agent, opened again if it was closed or lost. */
  root: OpenAgent;
  /** Opens it once its last owner has let go of it. Who asks meanwhile gets the same. */
  openRoot(): Promise<OpenAgent>;
  readonly handles: SubagentActivation[];
  readonly asked: Asked[];
}

export async function openHost(
  simulation: Simulation,
  host: SimulatedHost,
  process: SimulatedProcess,
  ledger: Ledger,
  watch: Watch,
): Promise<OpenHost> {
  const { runtime } = host;
  const driver = new RandomDriver(simulation, process, ledger, watch);
  runtime.registerProvider(spawnProvider());
  runtime.registerProvider(forkProvider());
  runtime.registerProvider(remoteProvider(simulation, process, watch.runs));
  const tools = [
    delegateTool({ runtime, provider: 'spawn' }),
    delegateTool({ runtime, provider: 'fork', name: 'fork' }),
    delegateTool({ runtime, provider: 'remote', name: 'remote' }),
    delegateTool({ runtime, provider: 'spawn', name: 'count', outputSchema: { type: 'object', required: ['count'] } }),
    interruptAgentTool({ runtime }),
    listAgentsTool({ runtime }),
    { name: 'look', description: 'looks', inputSchema: { type: 'object' }, execute: () => 'nothing to see' },
  ];
  let opening: Promise<OpenAgent> | undefined;
  const openRoot = () => {
    opening ??= openInTime().finally(() => {
      opening = undefined;
    });
    return opening;
  };
  const openInTime = async (): Promise<OpenAgent> => {
    const id = rootOf(host.name);
    while (true) {
      try {
        return await runtime.openAgent({ id, label: id, cwd: '/project', composition: { driver, tools } });
      } catch (error) {
        ledger.expect(error, 'openAgent');
        if (errorCode(error) === 'STORE_FAILED' || errorCode(error) === 'RUNTIME_CLOSED') throw error;
        await host.pause(3_000);
      }
    }
  };
  const root = await openRoot();
  await ledger.operate({ name: 'recover', process, since: simulation.schedule.now, boundMs: Number.POSITIVE_INFINITY }, () =>
    runtime.recover(),
  );
  return { ...watch, simulation, host, process, ledger, driver, root, openRoot, handles: [], asked: [] };
}

export function rootOf(host: string): string {
  return `root-${host}`;
}
