/** A backend that runs children elsewhere: it starts, answers, fails, hangs, answers late, and lets go badly, as the faults say. */
import type {
  ResolvedSubagentStartRequest,
  SubagentProvider,
  SubagentResult,
  SubagentRun,
} from '../../../src/providers/contract.ts';
import type { SimulatedProcess } from '../../../src/testing/simulation/process.ts';
import type { Simulation } from '../../../src/testing/simulation/simulation.ts';
import type { Run, Runs } from './runs.ts';

export function remoteProvider(simulation: Simulation, process: SimulatedProcess, runs: Runs): SubagentProvider {
  const { faults } = simulation;
  let count = 0;
  return {
    name: 'remote',
    capabilities: { agentOptions: false, agentPreset: false, outputSchema: false, depthLimit: false },
    inheritsParentContext: false,
    async start(request) {
      const id = `${process.name}-remote-${++count}`;
      await simulation.schedule.turn(`remote ${id}`, 'remote starts', process);
      if (faults.strikes('child-hangs', 0.05)) await untilAborted(request.signal);
      if (faults.strikes('child-exits', 0.1)) throw new Error('the backend is not there');
      return runOf(simulation, request, runs.begin(id, process));
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Error('stopped'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function runOf(simulation: Simulation, { signal }: ResolvedSubagentStartRequest, run: Run): SubagentRun {
  const { faults } = simulation;
  const { id, process } = run;
  const random = simulation.random.stream(`remote ${id}`);
  const result = Promise.withResolvers<SubagentResult>();
  let isAnswered = false;
  const answer = () => {
    if (isAnswered) return;
    isAnswered = true;
    const isFailing = faults.strikes('child-exits', 0.2);
    const text = isFailing ? '' : `remote ${id}`;
    run.answer(isFailing ? 'error' : 'completed', text);
    if (isFailing) result.reject(new Error('the backend died'));
    else result.resolve({ output: [{ type: 'text', text }], stopReason: 'completed' });
  };
  const ms = faults.strikes('child-hangs', 0.1) ? 400_000 : random.next() * 20_000;
  const cancel = simulation.schedule.after(ms, 'remote ends', answer, { doer: process });
  // some have their answer before anybody has heard that they run
  if (random.chance(0.2)) simulation.schedule.add(`remote ${id}`, 'remote ends', answer, process);
  const stop = () => {
    run.stop();
    if (faults.strikes('reply-after-cancel', 0.3)) return;
    cancel();
    result.resolve({ output: [], stopReason: 'aborted' });
  };
  signal.addEventListener('abort', stop, { once: true });
  return {
    id,
    result: result.promise,
    async dispose() {
      run.isDisposed = true;
      stop();
      if (faults.strikes('bad-disposal', 0.2)) {
        if (faults.chanceOf('bad-disposal').chance(0.4)) throw new Error('the backend would not let go');
        await simulation.pause(process, faults.chanceOf('bad-disposal').next() * 12_000);
      } else await simulation.schedule.turn(`remote ${id}`, 'remote ends', process);
    },
  };
}
