/** Creates a local child. Order: its own log with the prompt in it, then the parent's catalog; the second commit publishes it. */
import type { OpeningPlan, Residency } from '../actors/residency.ts';
import { errorCode, SubagentError, toSubagentError } from '../errors.ts';
import type { ContinuableCreateRequest } from '../providers/contract.ts';
import type { NewSessionEvent, SessionEvent, SessionHeader } from '../sessions/event.ts';
import { completedTurns } from '../sessions/fold.ts';
import type { MessageId, SessionId } from '../sessions/ids.ts';
import type { InboxMessage } from '../sessions/message.ts';
import type { SessionLease } from '../sessions/store.ts';
import { newEvent, openSession, type Registry, throwIfAborted } from './registry.ts';
import { checkedSeed } from './seed.ts';
import type { CheckedStart } from './start-request.ts';

export function localPlan(registry: Registry, start: CheckedStart, messageId: MessageId): OpeningPlan {
  const { parent } = start;
  // a fork sees the parent as it is now, whatever the parent does while the child is made
  const parentSeq = parent.session?.seq ?? 0;
  return async (residency, signal) => {
    if (start.composition?.driver.validate !== undefined) await validate(start);
    throwIfAborted(signal);
    const handedOut = new Set<unknown>();
    const spec = await start.provider.prepareContinuable?.(createRequest(start, residency, signal, parentSeq, handedOut));
    const seed = checkedSeed(spec, handedOut);
    throwIfAborted(signal);
    const prompt: InboxMessage = {
      messageId,
      lane: 'turn',
      wakes: true,
      source: { kind: 'delegation', form: 'prompt', senderSessionId: parent.id as SessionId },
      content: start.prompt,
    };
    const header = childHeader(registry, start, residency, seed);
    const own = [newEvent(registry, 'subagent/descriptor', descriptorOf(start)), newEvent(registry, 'inbox/inserted', prompt)];
    const lease = await create(registry, residency, header, [...seed, ...own]);
    if (signal.aborted) await undo(registry, header.id, lease);
    throwIfAborted(signal);
    await enterCatalog(registry, start, residency, header, lease);
    residency.session = openSession(registry, residency, header, lease);
    if (signal.aborted && !isAwaited(residency)) await abandon(registry, residency, prompt);
    residency.inboxMessages = 1;
    residency.inboxBytes = start.promptBytes;
    residency.inbox.accept(prompt);
    registry.hub.appended(residency.id, own);
    return { queued: 1, parked: 0 };
  };
}

/** False once the machine has given the opening up: what succeeds after that is nobody's. */
function isAwaited(residency: Residency): boolean {
  return !residency.isReleased;
}

async function validate({ composition, options }: CheckedStart): Promise<void> {
  try {
    await composition?.driver.validate?.(options);
  } catch (fault) {
    throw toSubagentError(fault, 'UNSUPPORTED_CAPABILITY', 'the driver cannot run with the options of the child');
  }
}

function createRequest(
  start: CheckedStart,
  residency: Residency,
  signal: AbortSignal,
  parentSeq: number,
  handedOut: Set<unknown>,
): ContinuableCreateRequest {
  const { parent } = start;
  return {
    cwd: start.cwd,
    sessionId: residency.id as SessionId,
    parent: parent.agent,
    signal,
    parentHistory: async () => {
      if (parent.host !== undefined) {
        throw new SubagentError(
          'UNSUPPORTED_CAPABILITY',
          'the parent is run by its host, so its conversation cannot be inherited',
        );
      }
      const events = (await parent.session?.events()) ?? [];
      const history = completedTurns(events.slice(0, parentSeq));
      for (const event of history) handedOut.add(event);
      return history;
    },
  };
}

function childHeader(
  registry: Registry,
  start: CheckedStart,
  residency: Residency,
  seed: readonly SessionEvent[],
): SessionHeader {
  const { parent, preset } = start;
  return {
    version: 1,
    id: residency.id as SessionId,
    createdAt: registry.clock.now(),
    cwd: start.cwd,
    project: parent.session?.header.project ?? parent.agent.cwd,
    parentSession: parent.id as SessionId,
    origin: 'subagent',
    delegationDepth: start.depth,
    ...(preset !== undefined && { agentPreset: preset }),
    isSeeded: seed.length > 0,
    inheritedEvents: seed.length,
  };
}

function descriptorOf(start: CheckedStart) {
  const { instructions, tools = [] } = start.composition ?? {};
  return {
    version: 1,
    provider: start.provider.name,
    mode: 'continuable',
    label: start.label,
    ...(instructions !== undefined && { instructions }),
    tools: tools.map((tool) => tool.name),
    agentOptions: start.options,
    ...(start.preset !== undefined && { agentPreset: start.preset }),
    ...(start.outputSchema !== undefined && { outputSchema: start.outputSchema }),
    ...(start.maxDepth !== undefined && { maxDepth: start.maxDepth }),
    ...(start.callId !== undefined && { callId: start.callId }),
  } as const;
}

async function create(
  registry: Registry,
  residency: Residency,
  header: SessionHeader,
  events: readonly NewSessionEvent[],
): Promise<SessionLease> {
  try {
    return await registry.store.create(header, registry.owner, events);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'SESSION_EXISTS')
      throw new SubagentError('DUPLICATE_CHILD', `there is a session ${header.id} already`, { cause: error });
    const fault = toSubagentError(error, 'OUTCOME_UNKNOWN', 'the store did not say whether it created the session');
    residency.openingFault ??= fault;
    if (fault.code === 'OUTCOME_UNKNOWN') await undoIfOurs(registry, header.id);
    throw fault;
  }
}

async function enterCatalog(
  registry: Registry,
  start: CheckedStart,
  residency: Residency,
  header: SessionHeader,
  lease: SessionLease,
): Promise<void> {
  const { parent, label } = start;
  try {
    if (parent.session === undefined) throw new SubagentError('PARENT_UNAVAILABLE', 'the parent has no session');
    const entry = { id: header.id, mode: 'continuable', label, createdAt: header.createdAt } as const;
    await parent.session.append([newEvent(registry, 'subagent/child', entry)]);
  } catch (error) {
    const fault = toSubagentError(error, 'STORE_FAILED', 'the catalog entry could not be written');
    // said first: a parent that lost its session ends its children meanwhile, which is not the reason
    residency.openingFault ??= fault;
    // an entry that may have been written keeps its session: recovery decides by what the log says
    if (fault.code === 'OUTCOME_UNKNOWN') await handBack(registry, header.id, lease);
    else await undo(registry, header.id, lease);
    throw fault;
  }
}

/** A session that cannot be deleted is given up, so that recovery finds it and deletes it. */
export async function undo(registry: Registry, id: SessionId, lease: Pick<SessionLease, 'epoch'>): Promise<void> {
  try {
    await registry.store.remove(id, lease.epoch);
  } catch (fault) {
    registry.report('undo of a start', fault);
    await handBack(registry, id, lease);
  }
}

/** Nobody knows whether the session was created. One under this id that this runtime owns can only be that one. */
async function undoIfOurs(registry: Registry, id: SessionId): Promise<void> {
  try {
    const head = await registry.store.head(id);
    if (head?.owner === registry.owner) await undo(registry, id, head);
  } catch (fault) {
    registry.report('undo of a start', fault);
  }
}

async function handBack(registry: Registry, id: SessionId, lease: Pick<SessionLease, 'epoch'>): Promise<void> {
  try {
    await registry.store.handBack(id, lease.epoch);
  } catch (fault) {
    registry.report('hand back', fault);
  }
}

/** Published after it was given up: closes the session so that nothing runs it later, and fails. */
async function abandon(registry: Registry, residency: Residency, prompt: InboxMessage): Promise<never> {
  const { session } = residency;
  await session?.append([
    newEvent(registry, 'inbox/discarded', { messageIds: [prompt.messageId], waking: 1, reason: 'disposed' }),
    newEvent(registry, 'activation/ended', { runId: residency.runId, epoch: session.epoch, stopReason: 'aborted' }),
  ]);
  await session?.handBack();
  throw new SubagentError('TIMED_OUT', `agent ${residency.id} was started too late and was given up`);
}
