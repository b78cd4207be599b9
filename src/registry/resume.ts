/** Brings a session back into memory as itself (S3.6, P16): its own directory, depth, options and composition, or a typed refusal. */

import { type OpeningPlan, Residency } from '../actors/residency.ts';
import { supervise } from '../actors/supervise.ts';
import type { AgentComposition } from '../agents/composition.ts';
import { countMail } from '../agents/inbox.ts';
import { contentBytes, hasImages } from '../agents/message-check.ts';
import { errorCode, SubagentError } from '../errors.ts';
import type { AgentOptions, SessionEvent, SessionHeader, SubagentDescriptorData } from '../sessions/event.ts';
import { foldSession, type SessionFold } from '../sessions/fold.ts';
import type { SessionId } from '../sessions/ids.ts';
import type { InboxMessage } from '../sessions/message.ts';
import { oneLine } from '../sessions/one-line.ts';
import type { SessionHead } from '../sessions/store.ts';
import { descendantsOf } from './descendants-of.ts';
import { lastTurnEnd, lastWords } from './past-result.ts';
import { openSession, type Registry, throwIfAborted } from './registry.ts';
import { settlePast } from './settle-past.ts';
import { enroll } from './start.ts';
import { checkPlace, compositionOf } from './start-request.ts';
import { takesImages } from './takes-images.ts';

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

/** The same for a child that must be there. */
export async function storedChildOf(registry: Registry, id: SessionId): Promise<StoredChild> {
  const head = await registry.store.head(id);
  if (head === undefined) throw new SubagentError('SESSION_NOT_FOUND', `session ${id} has gone`);
  return readStoredChild(registry, head);
}

/**
 * Admits the next activation of a stored child, in one synchronous block like a start. The caller has authorised it
 * against the header. `offered` is what follows, a message or a child to be attached: it is counted as an offer, so that the
 * agent cannot settle before it comes; whoever offers accepts or refuses it.
 */
export function admitResume(
  registry: Registry,
  parent: Residency,
  stored: StoredChild,
  offered?: InboxMessage | 'child',
): Residency {
  const { descriptor, head } = stored;
  checkPlace(registry, parent);
  const composition = storedComposition(registry, parent, descriptor);
  if (offered !== undefined && offered !== 'child') checkModelTakes(offered, composition, descriptor.agentOptions);
  const residency = new Residency({
    id: head.header.id,
    kind: 'local',
    label: oneLine(descriptor.label), // another version may have written it in another way
    depth: head.header.delegationDepth ?? 0, // logs of an older format do not say (S1.12)
    cwd: head.header.cwd,
    parent,
    provider: descriptor.provider,
    delivery: 'parent',
    composition,
    options: descriptor.agentOptions,
    outputSchema: undefined,
    plan: resumePlan(registry, head.header, stored.events),
  });
  residency.isResumed = true;
  enroll(registry, residency);
  supervise(registry, registry.machines, residency, parent.actor);
  if (offered !== undefined) residency.send({ type: 'message.offered' });
  return residency;
}

/** Images go only to a model that takes them. */
export function checkModelTakes(message: InboxMessage, composition: AgentComposition | undefined, options: AgentOptions): void {
  if (!hasImages(message.content) || takesImages(composition, options)) return;
  throw new SubagentError('UNSUPPORTED_CAPABILITY', 'the model of this agent takes no images; nothing was delivered');
}

function storedComposition(registry: Registry, parent: Residency, descriptor: SubagentDescriptorData) {
  if (descriptor.agentPreset !== undefined && !registry.presets.has(descriptor.agentPreset)) {
    throw new SubagentError(
      'RESUME_MISMATCH',
      `the child runs with the preset "${descriptor.agentPreset}", which does not exist now`,
    );
  }
  return asRecorded(compositionOf(registry, parent, descriptor.agentPreset), descriptor);
}

/** With the instructions and the tools of its start: what was added since is left out, and what is gone is a mismatch. */
function asRecorded(composition: AgentComposition, { instructions, tools }: SubagentDescriptorData): AgentComposition {
  if (tools === undefined) return composition; // logs of an older format do not say
  const { instructions: _, tools: available = [], ...rest } = composition;
  const gone = tools.filter((name) => !available.some((tool) => tool.name === name));
  if (gone.length > 0) {
    throw new SubagentError('RESUME_MISMATCH', `the child runs with tools that do not exist now: ${gone.join(', ')}`);
  }
  const kept = available.filter((tool) => tools.includes(tool.name));
  return { ...rest, ...(instructions !== undefined && { instructions }), tools: kept };
}

/**
 * Claims the session, closes what a crash left open, and finds the mail that waits. Also reopens top-level agents. `known` is
 * what was read of the log before.
 */
export function resumePlan(registry: Registry, header: SessionHeader, known: readonly SessionEvent[] = []): OpeningPlan {
  return async (residency, signal) => {
    await validateOptions(residency);
    throwIfAborted(signal);
    const lease = await registry.store.claim(header.id, registry.owner);
    const session = openSession(registry, residency, header, lease);
    session.know(known);
    try {
      const fold = foldSession(header, await session.events());
      throwIfAborted(signal);
      residency.session = session;
      residency.startedChildren = fold.children;
      for (const id of fold.externalIds) registry.externalIds.add(id); // they stay taken (S1.9)
      const unclaimed = [...fold.unclaimed, ...(await settlePast(registry, residency, fold, signal))];
      throwIfAborted(signal);
      for (const message of unclaimed) {
        residency.inbox.accept(message);
        residency.inboxMessages++;
        residency.inboxBytes += contentBytes(message.content);
      }
      if (residency.kind === 'host') recallAnswer(residency, await session.events());
      return countMail(unclaimed);
    } catch (fault) {
      await session.handBack().catch((error: unknown) => registry.report('hand back', error));
      throw fault;
    }
  };
}

/** Who asks a top-level agent before it has anything to do again hears what it said last. */
function recallAnswer(residency: Residency, events: readonly SessionEvent[]): void {
  const { output } = lastWords(events);
  const end = lastTurnEnd(events);
  if (output.length > 0) residency.lastAssistant = output;
  if (end === undefined) return;
  residency.stopReason = end.stopReason;
  residency.diagnostic = end.diagnostic;
}

async function validateOptions(residency: Residency): Promise<void> {
  try {
    await residency.composition?.driver.validate?.(residency.options);
  } catch (fault) {
    throw new SubagentError('RESUME_MISMATCH', 'the driver cannot run with the stored options of the agent', { cause: fault });
  }
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
  while (!parent.isReleased && !registry.residents.has(released.id)) {
    try {
      return await admitResume(registry, parent, stored).whenOpened();
    } catch (error) {
      const holders = descendantsOf(parent.root.children);
      if (errorCode(error) !== 'ACTIVATION_LIMIT_REACHED' || holders.length === 0) throw error;
      await Promise.race(holders.map((holder) => holder.whenReleased()));
    }
  }
}
