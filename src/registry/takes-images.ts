import type { AgentComposition } from '../agents/composition.ts';
import { isYes } from '../agents/sync-answer.ts';
import { toSubagentError } from '../errors.ts';
import type { AgentOptions } from '../sessions/event.ts';

/** Whether the model of an agent with these options takes images. Throws `PROVIDER_FAILED` if its driver cannot say. */
export function takesImages(composition: AgentComposition | undefined, options: AgentOptions): boolean {
  try {
    return isYes(composition?.driver.acceptsImages?.(options));
  } catch (fault) {
    throw toSubagentError(fault, 'PROVIDER_FAILED', 'the driver could not say whether its model takes images');
  }
}
