/** The steps of a release, in the machine's order. Each is bounded and answers once, with an event named for it. */
import { countMail } from '../agents/inbox.ts';
import { errorCode, SubagentError, toSubagentError } from '../errors.ts';
import type { SubagentResult } from '../providers/contract.ts';
import type { NewSessionEvent, SubagentStopReason } from '../sessions/event.ts';
import { bounded } from './bounded.ts';
import { boundResult, captureResult } from './envelope.ts';
import { deliverNotice, noticeKey, noticeMessage } from './notice.ts';
import { captureFailed } from './reported-end.ts';
import type { ActivationActor, Residency } from './residency.ts';
import type { World } from './world.ts';

/** Writes the end of this activation, unless a message or child comes first. */
export function seal(world: World, residency: Residency): void {
  bounded({
    clock: world.clock,
    ms: world.limits.appendMs,
    name: 'the seal',
    run: () => writeEnd(residency, [endEvent(world, residency)]),
    done: () => residency.send({ type: 'session.sealed' }),
    failed: (fault) => {
      world.report('seal', fault);
      residency.send({ type: 'seal.failed' });
    },
  });
}

/**
 * After a stop: drops the mail if it is to be dropped, and writes the end. Best effort (S2.5). What is on its way into the log
 * is waited for: whether a turn that was given up has begun, and what of it is balanced, is known only then.
 */
export function flush(world: World, residency: Residency): void {
  residency.turn?.end();
  bounded({
    clock: world.clock,
    ms: world.limits.appendMs,
    name: 'the last flush',
    run: () => {
      const write = () =>
        writeEnd(residency, [...unclosed(residency), ...discarded(world, residency), endEvent(world, residency)]);
      const before = residency.session?.whenWritten();
      return before === undefined ? write() : before.then(write);
    },
    done: () => residency.send({ type: 'session.flushed' }),
    failed: (fault) => {
      world.report('flush', fault);
      residency.send({ type: 'flush.failed' });
    },
  });
}

/**
 * What a store refuses for want of room, say, is tried once more when the session is given up. What it only takes its time
 * over is not: that would write the end twice.
 */
function writeEnd(residency: Residency, events: readonly NewSessionEvent[]): Promise<number> | undefined {
  residency.unwritten = [];
  const written = residency.session?.append(events);
  written?.catch(() => {
    residency.unwritten = events; // whoever asked for the end hears that it failed
  });
  return written;
}

/** Between two tries to write the notice of an external child, in milliseconds. */
const noticeRetryMs = 500;

export function capture(world: World, residency: Residency): void {
  bounded({
    clock: world.clock,
    ms: world.limits.disposeMs,
    name: 'capturing the result',
    run: () => {
      residency.captured = resultOf(world, residency);
      if (residency.captureFault !== undefined) throw residency.captureFault;
    },
    done: () => residency.send({ type: 'result.captured' }),
    failed: (fault) => {
      residency.captureFault = toSubagentError(fault, 'PROVIDER_FAILED', captureFailed);
      // `result` rejects, but whoever else is told of the end still is, with what there is to say
      residency.captured = { output: [], stopReason: 'error', diagnostic: captureFailed };
      residency.send({ type: 'capture.failed' });
    },
  });
}

/** Lets driver or provider give back what it holds for this agent. */
export function disposeResources(world: World, residency: Residency): void {
  const { composition, run, agent } = residency;
  const release = composition?.driver.release;
  bounded({
    clock: world.clock,
    ms: world.limits.disposeMs,
    name: 'disposal',
    run: () => {
      if (run !== undefined) return residency.disposeRun();
      return release?.call(composition?.driver, agent);
    },
    done: () => residency.send({ type: 'resources.disposed' }),
    failed: (fault) => {
      residency.failTeardown(fault);
      world.report('dispose', fault);
      residency.send({ type: 'dispose.failed' });
    },
  });
}

/** Tells the parent, marks that it was told, and gives the session up. */
export function notify(world: World, residency: Residency): void {
  bounded({
    clock: world.clock,
    ms: world.limits.notifyMs,
    name: 'telling the parent',
    run: () => tellParent(world, residency),
    done: () => residency.send({ type: 'parent.notified' }),
    failed: (fault) => {
      world.report('notice', fault);
      residency.session?.handBack().catch((error: unknown) => world.report('hand back', error));
      residency.send({ type: 'notify.failed' });
    },
  });
}

async function tellParent(world: World, residency: Residency): Promise<void> {
  const { parent, session, captured } = residency;
  const key = noticeKeyOf(residency);
  const last: NewSessionEvent[] = [];
  // an end that is told and not written would be written by recovery as the last turn has it
  if (residency.unwritten.length > 0) await session?.append(residency.unwritten);
  if (key !== undefined && parent !== undefined && captured !== undefined) {
    const subject = { childId: residency.childId, label: residency.agent.label, key };
    const notice = noticeMessage(subject, captured, world.limits.resultBytes);
    const isTold = await (residency.kind === 'external' ? deliverInTime : deliverNotice)(world, parent, notice);
    if (isTold) last.push({ type: 'notice/delivered', time: world.clock.now(), data: { notice: key } });
  }
  if (last.length > 0) await session?.append(last);
  await session?.handBack();
}

/**
 * An external child has no log that could hold its notice until its parent can take it, and with the notice its result would be
 * lost. Its parent stays as long as the child does: while the store has no room, it is asked again, until the bound has passed.
 */
async function deliverInTime(world: World, parent: Residency, notice: Parameters<typeof deliverNotice>[2]): Promise<boolean> {
  // counted, not timed: the clock on the wall may be set meanwhile
  for (let tries = Math.floor(world.limits.notifyMs / noticeRetryMs); ; tries--) {
    try {
      return await deliverNotice(world, parent, notice);
    } catch (fault) {
      const mayHaveRoom = errorCode(fault) === 'STORE_FULL' || errorCode(fault) === 'STORE_LOCKED';
      if (!mayHaveRoom || tries <= 1) throw fault;
      await new Promise<void>((resolve) => void world.clock.schedule(noticeRetryMs, resolve));
    }
  }
}

/** How this activation ends, as record, notice, event and result all say it. */
export function finalStopReason(residency: Residency): SubagentStopReason {
  const { outcome } = (residency.actor as ActivationActor).getSnapshot().context;
  // a top-level agent that is closed when it has nothing to do ended with its last turn, also one of an earlier activation
  if (outcome === 'none' && residency.kind === 'host') return residency.stopReason;
  if (outcome === 'aborted' || outcome === 'none') return 'aborted';
  if (outcome === 'failed' && (residency.stopReason === 'completed' || residency.stopReason === 'aborted')) return 'error';
  return residency.stopReason;
}

function resultOf(world: World, residency: Residency): SubagentResult {
  const stopReason = finalStopReason(residency);
  if (residency.kind !== 'external') {
    residency.stopReason = stopReason;
    return captureResult(residency, world.limits.resultBytes);
  }
  const said = residency.external ?? { output: [], stopReason };
  return boundResult({ ...said, stopReason }, world.limits.resultBytes);
}

function endEvent(world: World, residency: Residency): NewSessionEvent {
  const notice = noticeKeyOf(residency);
  const stopReason = finalStopReason(residency);
  const { diagnostic } = residency;
  return {
    type: 'activation/ended',
    time: world.clock.now(),
    data: {
      runId: residency.runId,
      epoch: residency.session?.epoch ?? 0,
      stopReason,
      ...(diagnostic !== undefined && stopReason !== 'completed' && { diagnostic }),
      ...(notice !== undefined && { notice }),
    },
  };
}

/** Top-level agents and children whose caller waits have no notice. */
function noticeKeyOf(residency: Residency) {
  if (residency.parent === undefined || residency.delivery === 'caller') return undefined;
  if (residency.isResumed && (residency.actor as ActivationActor).getSnapshot().context.outcome === 'none') return undefined;
  return noticeKey(residency.childId, residency.session?.epoch ?? 1);
}

/** A turn that was given up, or whose end could not be written, is closed here: what has ended is not to be recovered as cut off. */
function unclosed(residency: Residency): NewSessionEvent[] {
  const { unclosedTurn, stopReason, diagnostic } = residency;
  return unclosedTurn?.closingEvents({ stopReason, ...(diagnostic !== undefined && { diagnostic }) }) ?? [];
}

function discarded(world: World, residency: Residency): NewSessionEvent[] {
  if (residency.mailPolicy !== 'discard') return [];
  const messages = residency.inbox.waiting().filter((message) => message.wakes || message.source.kind === 'context');
  if (messages.length === 0) return [];
  for (const message of messages) residency.inbox.remove(message.messageId);
  const messageIds = messages.map((message) => message.messageId);
  return [
    {
      type: 'inbox/discarded',
      time: world.clock.now(),
      data: { messageIds, waking: countMail(messages).queued, reason: 'disposed' },
    },
  ];
}

/** What `dispose()` and drains reject with when the work ended but its release did not succeed. */
export function teardownError(residency: Residency): SubagentError | undefined {
  const fault = residency.teardownFault;
  if (fault === undefined) return undefined;
  return new SubagentError('ACTIVATION_TEARDOWN_FAILED', `agent ${residency.childId} ended, but its release failed`, {
    cause: fault,
  });
}
