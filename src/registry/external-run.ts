/** What a provider's `start` gave, read once: a run is known by what it was when it was accepted. */
import { SubagentError } from '../errors.ts';
import type { SubagentResult, SubagentRun } from '../providers/contract.ts';
import { fieldsOf } from '../sessions/outside.ts';
import type { Registry } from './registry.ts';

/** Disposes what is no run as far as that can be done, and throws `PROVIDER_FAILED`. */
export async function checkedRun(registry: Registry, providerName: string, given: unknown): Promise<SubagentRun> {
  const noRun = `provider "${providerName}" started something that is no run`;
  let dispose: SubagentRun['dispose'] | undefined;
  try {
    dispose = disposalOf(given);
    const { id, result } = fieldsOf(given, ['id', 'result'], 'a run');
    if (result instanceof Promise) {
      const followed = follow(result);
      if (typeof id === 'string' && dispose !== undefined) return { id, result: followed, dispose };
    }
  } catch (fault) {
    if (dispose !== undefined) await takeBack(registry, { dispose });
    throw new SubagentError('PROVIDER_FAILED', noRun, { cause: fault });
  }
  if (dispose !== undefined) await takeBack(registry, { dispose });
  throw new SubagentError('PROVIDER_FAILED', noRun);
}

/** Disposes a run that never became anybody's. */
export async function takeBack(registry: Registry, run: Pick<SubagentRun, 'dispose'>): Promise<void> {
  try {
    await run.dispose();
  } catch (fault) {
    registry.report('provider', fault);
  }
}

function disposalOf(given: unknown): SubagentRun['dispose'] | undefined {
  const { dispose } = fieldsOf(given, ['dispose'], 'a run');
  return typeof dispose === 'function' ? () => (dispose as SubagentRun['dispose']).call(given) : undefined;
}

/** A promise of our own, which nobody can have given other methods; read where it counts, until then it must not end the process. */
function follow(result: Promise<SubagentResult>): Promise<SubagentResult> {
  const followed = new Promise<SubagentResult>((resolve, reject) => {
    result.then(resolve, reject);
  });
  followed.catch(() => undefined);
  return followed;
}
