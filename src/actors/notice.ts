/** The word a parent gets when an activation of a child is over (S3.9). Its id is its key: one activation, one notice. */
import { countMail } from '../agents/inbox.ts';
import type { SubagentResult } from '../providers/contract.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { MessageId } from '../sessions/ids.ts';
import type { InboxMessage } from '../sessions/message.ts';
import { offerMessage } from './mail.ts';
import type { Residency } from './residency.ts';
import type { World } from './world.ts';

export interface NoticeSubject {
  readonly childId: string;
  readonly label: string;
  readonly key: MessageId;
}

export function noticeKey(childId: string, epoch: number): MessageId {
  return `${childId}:${epoch}` as MessageId;
}

/** Composes the notice from a result that is bounded already. */
export function noticeMessage(
  subject: NoticeSubject,
  result: SubagentResult,
  structuredBytesMax: number,
): Omit<InboxMessage, 'wakes'> {
  const summary = `${subject.label} ended: ${result.stopReason}`;
  return {
    messageId: subject.key,
    lane: 'step',
    source: { kind: 'subagent-settled', form: 'notice', summary, senderSessionId: subject.childId },
    content: noticeContent(result, subject.childId, structuredBytesMax),
  };
}

function noticeContent(result: SubagentResult, childId: string, structuredBytesMax: number): readonly ContentBlock[] {
  const lines: ContentBlock[] = [];
  const say = (text: string) => lines.push({ type: 'text', text });
  if (result.diagnostic !== undefined) say(`Diagnostic: ${result.diagnostic}\n`);
  if (result.structured !== undefined) {
    const json = JSON.stringify(result.structured);
    const bytes = Buffer.byteLength(json);
    say(
      bytes <= structuredBytesMax
        ? `Structured result: ${json}\n`
        : `The structured result has ${bytes} bytes; read it by the id ${childId}.\n`,
    );
  }
  if (result.output.length > 0) say(result.stopReason === 'completed' ? 'Final text:\n' : 'Partial text:\n');
  lines.push(...result.output);
  if (result.truncated !== undefined) {
    say(`\n[The text was cut. It has ${result.truncated.totalBytes} bytes; read all of it by the id ${childId}.]`);
  }
  if (lines.length === 0) say('It left no text.');
  return lines;
}

/**
 * Puts the notice where the parent will find it: its host, its inbox, or, while it is itself being ended, only its log.
 * Resolves with true once it is accepted there. A parent that is gone is no error: false, and the notice stays owed.
 */
export async function deliverNotice(world: World, parent: Residency, notice: Omit<InboxMessage, 'wakes'>): Promise<boolean> {
  if (parent.isReleased) return false;
  if (parent.host !== undefined) await parent.host.deliver({ ...notice, wakes: parent.isReceiving });
  else if (parent.isReceiving) await offerMessage(world, parent, { ...notice, wakes: true });
  else await parent.session?.append([{ type: 'inbox/inserted', time: world.clock.now(), data: { ...notice, wakes: false } }]);
  return true;
}

/** Mail that keeps an agent resident. */
export function keepsResident(messages: readonly InboxMessage[]): boolean {
  const { queued, parked } = countMail(messages);
  return queued + parked > 0;
}
