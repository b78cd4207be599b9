/** Brings a session back into memory as itself (S3.6, P16): its own directory, depth, options and composition, or a typed refusal. */

import { deliverNotice, noticeMessage } from '../actors/notice.ts';
import { type OpeningPlan, Residency } from '../actors/residency.ts';
import { supervise } from '../actors/supervise.ts';
import { countMail } from '../agents/inbox.ts';
import { contentBytes } from '../agents/message-check.ts';
import { SubagentError } from '../errors.ts';
import type { SessionEvent, SessionHeader, SubagentDescriptorData } from '../sessions/event.ts';
import { foldSession, type OpenTurn, type SessionFold } from '../sessions/fold.ts';
import type { MessageId } from '../sessions/ids.ts';
import type { SessionHead } from '../sessions/store.ts';
import { interruptedResult, unansweredCalls } from '../sessions/transcript.ts';
import { captureEnd } from './past-result.ts';
import { newEvent, openSession, type Registry, throwIfAborted } from './registry.ts';
import { enroll } from './start.ts';
import { checkRoom, compositionOf } from './start-request.ts';

export interface StoredChild {
  readonly head: SessionHead;
  readonly events: readonly SessionEvent[];
  readonly fold: SessionFold;
  readonly descriptor: SubagentDescriptorData;
}

/** Reads what a cold child is, without disturbing anybody. */
export async function readStoredChild(registry: Registry, head: SessionHead): Promise<StoredChild> {
  const events = await registry.store.read(head.header.id);
  const fold = foldSession(head.header, events);
  if (fold.descriptor === undefined)
    throw new SubagentError('NOT_RESUMABLE', `session ${head.header.id} does not say how it was started`);
  return { head, events, fold, descriptor: fold.descriptor };
}

/**
 * Admits the next activation of a stored child, in one synchronous block like a start. The caller has authorised it
 * against the header. `isOffered` counts a message that follows, so that the child cannot settle before it.
 */
export function admitResume(registry: Registry, parent: Residency, stored: StoredChild, isOffered: boolean): Residency {
  const { descriptor, head } = stored;
  checkRoom(registry, parent);
  const composition = storedComposition(registry, parent, descriptor);
  const residency = new Residency({
    id: head.header.id,
    kind: 'local',
    label: descriptor.label,
    depth: head.header.delegationDepth,
    cwd: head.header.cwd,
    parent,
    provider: descriptor.provider,
    delivery: 'parent',
    composition,
    options: descriptor.agentOptions,
    outputSchema: undefined,
    plan: resumePlan(registry, head.header),
  });
  enroll(registry, residency);
  supervise(registry, registry.machines, residency, parent.actor);
  if (isOffered) residency.send({ type: 'message.offered' });
  return residency;
}

function storedComposition(registry: Registry, parent: Residency, descriptor: SubagentDescriptorData) {
  if (descriptor.agentPreset !== undefined && !registry.presets.has(descriptor.agentPreset)) {
    throw new SubagentError(
      'RESUME_MISMATCH',
      `the child runs with the preset "${descriptor.agentPreset}", which does not exist now`,
    );
  }
  return compositionOf(registry, parent, descriptor.agentPreset);
}

/** Claims the session, closes what a crash left open, and finds the mail that waits. Also reopens top-level agents. */
export function resumePlan(registry: Registry, header: SessionHeader): OpeningPlan {
  return async (residency, signal) => {
    await validateOptions(residency);
    throwIfAborted(signal);
    const lease = await registry.store.claim(header.id, registry.owner);
    const session = openSession(registry, residency, header, lease);
    try {
      const fold = foldSession(header, await session.events());
      throwIfAborted(signal);
      residency.session = session;
      residency.startedChildren = fold.children;
      await settlePast(registry, residency, fold);
      throwIfAborted(signal);
      for (const message of fold.unclaimed) {
        residency.inbox.accept(message);
        residency.inboxMessages++;
        residency.inboxBytes += contentBytes(message.content);
      }
      return countMail(fold.unclaimed);
    } catch (fault) {
      await session.handBack().catch((error: unknown) => registry.report('hand back', error));
      throw fault;
    }
  };
}

async function validateOptions(residency: Residency): Promise<void> {
  try {
    await residency.composition?.driver.validate?.(residency.options);
  } catch (fault) {
    throw new SubagentError('RESUME_MISMATCH', 'the driver cannot run with the stored options of the agent', { cause: fault });
  }
}

/** What an earlier activation still owes: the notice of its end, and the end of a turn that was cut off. */
async function settlePast(registry: Registry, residency: Residency, fold: SessionFold): Promise<void> {
  const { session, parent } = residency;
  if (session === undefined) return;
  const notice = fold.undelivered?.data.notice;
  if (fold.undelivered !== undefined && notice !== undefined && parent !== undefined) {
    if (!(await hasNotice(parent, notice))) {
      const result = captureEnd(fold.undelivered.data, await session.events(), registry.limits.resultBytes);
      const subject = { childId: residency.id, label: residency.agent.label, key: notice };
      await deliverNotice(registry, parent, noticeMessage(subject, result, registry.limits.resultBytes));
    }
    await session.append([newEvent(registry, 'notice/delivered', { notice })]);
  }
  if (fold.openTurn !== undefined) await session.append(closeCutTurn(registry, fold.openTurn));
}

/** Whether the parent's log has accepted the notice already: a crash can come between that and the child's own mark. */
async function hasNotice(parent: Residency, notice: MessageId): Promise<boolean> {
  const events = (await parent.session?.events()) ?? [];
  return events.some((event) => event.type === 'inbox/inserted' && event.data.messageId === notice);
}

/**
 * A turn that was given up may have left messages that nobody claimed: they open the next activation (S4.1). Without a
 * live parent they wait in the log.
 */
export async function resumeStranded(registry: Registry, released: Residency): Promise<void> {
  const { parent, session } = released;
  if (parent === undefined || session === undefined) return;
  const head = await registry.store.head(session.id);
  if (head === undefined || registry.residents.has(released.id)) return;
  const stored = await readStoredChild(registry, head);
  if (parent.isReleased || registry.residents.has(released.id)) return;
  await admitResume(registry, parent, stored, false).whenOpened();
}

/** Balanced results for calls that have none, and an end that says so (P18). The tools are not run again. */
function closeCutTurn(registry: Registry, turn: OpenTurn) {
  const { turnId } = turn;
  const missing = unansweredCalls(turn.lastCalls, turn.results).map(interruptedResult);
  return [
    ...(missing.length > 0 ? [newEvent(registry, 'tool/results', { turnId, content: missing })] : []),
    newEvent(registry, 'turn/ended', {
      turnId,
      stopReason: 'error',
      diagnostic: 'the turn was cut off when its process ended',
      isInterrupted: true,
    }),
  ];
}
