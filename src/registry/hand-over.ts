/** Mail that waited in the log of a host-run agent: its host gets it when the agent is attached again. */
import { forgetBytes } from '../actors/mail.ts';
import type { Residency } from '../actors/residency.ts';
import { countMail } from '../agents/inbox.ts';
import type { InboxMessage } from '../sessions/message.ts';
import { newEvent, type Registry } from './registry.ts';
import { deliverToHost } from './send.ts';

/**
 * One after the other, in order of acceptance, each claimed in the log once the host has it. What the host does not take is
 * reported and stays, with all behind it, for the next time. A crash between the two gives a message again, under the same id.
 */
export async function handOverMail(registry: Registry, residency: Residency): Promise<void> {
  const turnId = registry.ids.next(); // the host's own turns are not in the log; one name for what it took together
  for (const message of residency.inbox.waiting()) {
    try {
      if (!(await handOver(registry, residency, message, turnId))) return;
    } catch (fault) {
      registry.report('hand over', fault);
      return;
    }
  }
}

/** False if the agent is on its way out: then the message stays. */
async function handOver(registry: Registry, residency: Residency, message: InboxMessage, turnId: string): Promise<boolean> {
  const { host, session } = residency;
  if (host === undefined || session === undefined || !residency.isReceiving) return false;
  await deliverToHost(registry, host, message);
  const { messageId } = message;
  await session.append([
    newEvent(registry, 'inbox/claimed', { messageIds: [messageId], waking: countMail([message]).queued, turnId }),
  ]);
  residency.inbox.remove(messageId);
  forgetBytes(residency, [message]);
  return true;
}
