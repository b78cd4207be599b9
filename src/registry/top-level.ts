/** Top-level agents: run on a driver (`openAgent`) or by the host itself (`attachAgent`). They take no capacity and never settle. */
import { type HostPort, type OpeningPlan, Residency } from '../actors/residency.ts';
import { materialize, supervise } from '../actors/supervise.ts';
import type { AgentComposition } from '../agents/composition.ts';
import { SubagentError } from '../errors.ts';
import type { AgentOptions, SessionHeader } from '../sessions/event.ts';
import { type SessionId, toSessionId } from '../sessions/ids.ts';
import { handOverMail } from './hand-over.ts';
import { undo } from './local-child.ts';
import { mustBeOpen, openSession, type Registry, throwIfAborted } from './registry.ts';
import { resumePlan } from './resume.ts';
import { type CheckedSetup, directoryOf, readSetup } from './top-level-setup.ts';

export interface TopLevelSetup {
  /** Of a stored top-level session: reopens it. Absent or unknown: a new session. */
  readonly id?: string;
  readonly label?: string;
  /** Absolute path; a function if it changes while the agent lives. */
  readonly cwd: string | (() => string);
  /** Activations that may be live at once below this agent. Absent: the runtime's bound. */
  readonly activationsMax?: number;
  readonly signal?: AbortSignal;
}

export interface OpenAgentSetup extends TopLevelSetup {
  /** What the agent runs on; its children join it unless they name a preset. */
  readonly composition: AgentComposition;
  /** Merged over the composition's. */
  readonly options?: AgentOptions;
}

export interface AttachAgentSetup extends TopLevelSetup, HostPort {
  /** What local children run on. Absent: only external children, and local ones with a preset, can be started. */
  readonly composition?: AgentComposition;
}

export async function openTopLevel(registry: Registry, given: OpenAgentSetup): Promise<Residency> {
  const setup = readSetup(given);
  if (setup.composition === undefined) throw new SubagentError('INVALID_ARGUMENT', 'an agent needs a composition with a driver');
  const checked = await checkTopLevel(registry, setup);
  const residency = topLevelResidency(setup, checked, 'host', openingPlan(registry, checked));
  admit(registry, residency, setup);
  await opened(residency, setup.signal);
  return residency;
}

export async function attachTopLevel(registry: Registry, given: AttachAgentSetup): Promise<Residency> {
  const setup = readSetup(given);
  const { deliver } = setup;
  if (deliver === undefined) throw new SubagentError('INVALID_ARGUMENT', 'an attached agent needs a deliver callback');
  const checked = await checkTopLevel(registry, setup);
  const residency = topLevelResidency(setup, checked, 'attached', openingPlan(registry, checked));
  residency.host = { deliver };
  admit(registry, residency, setup);
  // its machine begins open, but nobody has the agent in hand before this has come to its end
  materialize(registry, residency);
  await opened(residency, setup.signal);
  await handOverMail(registry, residency);
  if (residency.lostFault !== undefined) throw residency.lostFault;
  return residency;
}

/** One synchronous block, as for a child: nothing comes between the last look and the place in the registry. */
function admit(registry: Registry, residency: Residency, setup: CheckedSetup): void {
  mustBeOpen(registry);
  throwIfAborted(setup.signal);
  if (registry.residents.has(residency.id)) throw duplicate(residency.id);
  enrollTopLevel(registry, residency, setup);
  supervise(registry, registry.machines, residency, registry.actor);
}

async function opened(residency: Residency, signal: AbortSignal | undefined): Promise<void> {
  const cancel = () => {
    if (residency.isOpened) return;
    residency.openingFault ??= new SubagentError('CANCELLED', 'the agent was not to be opened any more', {
      cause: signal?.reason,
    });
    residency.requestEnd('keep');
  };
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    await residency.whenOpened();
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

function keepUnfinished(registry: Registry, work: Promise<unknown>): void {
  const over = work.then(
    () => undefined,
    () => undefined,
  );
  registry.unfinished.add(over);
  over.then(() => registry.unfinished.delete(over)).catch(() => undefined); // neither can fail
}

interface CheckedTopLevel {
  readonly id: SessionId;
  /** Of the stored session, if there is one. */
  readonly header: SessionHeader | undefined;
  readonly cwd: string | (() => string);
}

async function checkTopLevel(registry: Registry, setup: CheckedSetup): Promise<CheckedTopLevel> {
  mustBeOpen(registry);
  throwIfAborted(setup.signal);
  const id = setup.id ?? toSessionId(registry.ids.next());
  if (registry.residents.has(id)) throw duplicate(id);
  const head = setup.id === undefined ? undefined : await registry.store.head(id);
  if (head?.header.parentSession !== undefined) {
    throw new SubagentError('INVALID_ARGUMENT', `session ${id} is a child; it is resumed through its parent`);
  }
  return { id, header: head?.header, cwd: setup.cwd };
}

function topLevelResidency(
  { label, composition, options }: CheckedSetup,
  { id, cwd }: CheckedTopLevel,
  kind: 'host' | 'attached',
  plan: OpeningPlan,
): Residency {
  return new Residency({
    id,
    kind,
    label,
    depth: 0,
    cwd,
    parent: undefined,
    provider: '',
    delivery: 'caller',
    composition,
    options,
    outputSchema: undefined,
    plan,
  });
}

function enrollTopLevel(registry: Registry, residency: Residency, setup: CheckedSetup): void {
  residency.runId = registry.ids.next();
  if (setup.activationsMax !== undefined) registry.capacity.limitRoot(residency, setup.activationsMax);
  residency.onReleased = () => {
    registry.residents.delete(residency.id);
    registry.capacity.forgetRoot(residency);
    registry.hub.forgetParent(residency.id);
    if (residency.kind === 'attached') handBack(registry, residency);
  };
}

/** An agent that runs on a driver does this as a step of its release. */
function handBack(registry: Registry, residency: Residency): void {
  residency.handedBack = residency.session?.handBack().catch((fault: unknown) => registry.report('hand back', fault));
  if (residency.handedBack !== undefined) keepUnfinished(registry, residency.handedBack);
}

/** A stored session is reopened, a new one created. */
function openingPlan(registry: Registry, { id, header: stored, cwd }: CheckedTopLevel): OpeningPlan {
  if (stored !== undefined) return resumePlan(registry, stored);
  return async (residency, signal) => {
    await residency.composition?.driver.validate?.(residency.options);
    throwIfAborted(signal);
    const directory = directoryOf(cwd);
    const header: SessionHeader = {
      version: 1,
      id,
      createdAt: registry.clock.now(),
      cwd: directory,
      project: directory,
      delegationDepth: 0,
      isSeeded: false,
      inheritedEvents: 0,
    };
    const lease = await registry.store.create(header, registry.owner, []);
    if (signal.aborted) await undo(registry, id, lease);
    throwIfAborted(signal);
    residency.session = openSession(registry, residency, header, lease);
    return { queued: 0, parked: 0 };
  };
}

function duplicate(id: string): SubagentError {
  return new SubagentError('DUPLICATE_CHILD', `agent ${id} is live already`);
}
