/** The public face: one object per host. Each operation is a file of its own beside this one. */
import type { Observable } from 'rxjs';
import { waitFor } from 'xstate';
import type { Agent } from '../agents/agent.ts';
import type { Limits } from '../agents/limits.ts';
import { SubagentError } from '../errors.ts';
import type { SubagentActivation, SubagentActivationSpec, SubagentProvider } from '../providers/contract.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { MessageId, SessionId } from '../sessions/ids.ts';
import { signalOf } from '../sessions/outside.ts';
import {
  listChildren,
  readResult,
  readSession,
  type SessionRecord,
  type SubagentCatalogEntry,
  type WholeResult,
} from './catalog.ts';
import { catalogStream } from './catalog-stream.ts';
import { type ConfiguredDepth, resolveMaxDepth } from './depth.ts';
import { listDescendants, type SubagentDescendantListEntry } from './descendants.ts';
import type { SubagentEvent } from './event-hub.ts';
import { iterate } from './iterate.ts';
import { type AgentListing, listAgents } from './list-agents.ts';
import { prompt, type SubagentPromptRequest } from './prompt.ts';
import { type RecoveryReport, recover } from './recover.ts';
import { mustBeExact, type Registry } from './registry.ts';
import { type SubagentSendMessageOptions, sendMessage } from './send.ts';
import { startActivation } from './start.ts';
import { drainChildren, drainDescendants, interrupt, type SubagentInterruptAuthority } from './stop.ts';
import { type AttachAgentSetup, attachTopLevel, type OpenAgentSetup, openTopLevel } from './top-level.ts';
import { AttachedAgent, OpenAgent } from './top-level-handle.ts';
import { type SubagentQueueChange, updateQueue } from './update-queue.ts';
import { waitForChildren } from './wait.ts';

export class SubagentRuntime implements AsyncDisposable {
  readonly #registry: Registry;

  /** @internal Use `createRuntime`. */
  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Everything that happens, as it happens. A listener that throws is reported and hurts nobody. Completes on close. */
  get events$(): Observable<SubagentEvent> {
    return this.#registry.hub.events$;
  }

  /** The same as an async iterable; a reader over 10,000 events behind loses the oldest. */
  events(): AsyncIterableIterator<SubagentEvent> {
    return iterate(this.events$);
  }

  /** Start and end of what one agent delegates, and of nothing else. Completes when that agent leaves. */
  eventsOf(parent: Agent): Observable<SubagentEvent> {
    return this.#registry.hub.ofParent(mustBeExact(this.#registry, parent).id);
  }

  /** Returns what removes it again. Throws `DUPLICATE_PROVIDER`, `UNSUPPORTED_CAPABILITY`, `INVALID_ARGUMENT`. */
  registerProvider(provider: SubagentProvider): () => void {
    return this.#registry.providers.register(provider);
  }

  getProvider(name: string): SubagentProvider | undefined {
    return this.#registry.providers.get(name);
  }

  list(): readonly SubagentProvider[] {
    return this.#registry.providers.list();
  }

  /** The bounds that are in force. */
  get limits(): Limits {
    return this.#registry.limits;
  }

  /** The depth limit that a tool configured like this passes to its starts. */
  resolveMaxDepth(configured?: ConfiguredDepth): number | undefined {
    return resolveMaxDepth(configured, this.#registry.limits.depthMax);
  }

  /** A top-level agent on a driver: new, or reopened from the store with the mail that waits for it. */
  async openAgent(setup: OpenAgentSetup): Promise<OpenAgent> {
    return new OpenAgent(this.#registry, await openTopLevel(this.#registry, setup));
  }

  /**
   * A top-level agent that the host runs itself; it hears of its children through `deliver`. Mail that waits in a stored session
   * is delivered before this resolves, in order, up to the first that the host does not take.
   */
  async attachAgent(setup: AttachAgentSetup): Promise<AttachedAgent> {
    return new AttachedAgent(this.#registry, await attachTopLevel(this.#registry, setup));
  }

  /**
   * Starts a child. Resolves at publication: a local child has accepted its prompt, an external one has started. Every
   * refusal is a `SubagentError`, and leaves nothing behind.
   */
  startActivation(
    spec: SubagentActivationSpec & { readonly childId: SessionId },
  ): Promise<SubagentActivation & { readonly messageId: MessageId }>;
  startActivation(spec: SubagentActivationSpec): Promise<SubagentActivation>;
  startActivation(spec: SubagentActivationSpec): Promise<SubagentActivation> {
    return startActivation(this.#registry, spec);
  }

  /**
   * A model-written message to the sender's direct parent or direct continuable child: steers a running one, wakes a
   * waiting one, resumes a stored one. Resolves with its id once it is committed. Keeps the order of each sender.
   */
  sendMessage(
    sender: Agent,
    targetId: string,
    content: readonly ContentBlock[],
    options?: SubagentSendMessageOptions,
  ): Promise<MessageId> {
    return sendMessage(this.#registry, sender, targetId, content, options);
  }

  /**
   * A person's message to a continuable child of a live parent. Resolves once it is committed; a repeat with the same request
   * id resolves with the same message id and delivers nothing. Rejects `subagent/delivery-unavailable` when there is no place.
   */
  prompt(request: SubagentPromptRequest, signal?: AbortSignal): Promise<MessageId> {
    return prompt(this.#registry, request, signal);
  }

  /** Changes what waits in the inbox of a live continuable child. Rejects `MESSAGE_NOT_FOUND` for what was claimed already. */
  updateQueue(childId: string, change: SubagentQueueChange): Promise<void> {
    return updateQueue(this.#registry, childId, change);
  }

  /**
   * Stops the current turn of a live child and keeps the child, its mail and its children. Returns at once; an absent target is
   * accepted. A turn that does not stop within `turnStopMs` is given up, and the activation ends. Throws `UNAUTHORIZED`.
   */
  interrupt(targetId: string, authority: SubagentInterruptAuthority): void {
    interrupt(this.#registry, targetId, authority);
  }

  /** Ends everything below these exact live agents, and admits nothing there any more. Rejects `ACTIVATION_TEARDOWN_FAILED` once all have ended. */
  drainDescendants(parents: readonly Agent[]): Promise<void> {
    return drainDescendants(this.#registry, parents);
  }

  /** The same for chosen direct children; siblings stay, absent ids are no-ops. Rejects `UNAUTHORIZED` for somebody else's child. */
  drainChildren(parent: Agent, childIds: readonly string[]): Promise<void> {
    return drainChildren(this.#registry, parent, childIds);
  }

  /** Waits for descendants that are making progress; resolves with whether there were any. Cancels nothing. */
  async waitForChildren(parent: Agent, signal?: AbortSignal): Promise<boolean> {
    return waitForChildren(mustBeExact(this.#registry, parent), signalOf(signal));
  }

  /** The direct children of a session in the order of their start, from the catalog alone. Rejects `SessionQueryError`. */
  listChildren(parentId: string, signal?: AbortSignal): Promise<readonly SubagentCatalogEntry[]> {
    return listChildren(this.#registry, parentId, signal);
  }

  /** Everything below a session, in stable pre-order. A branch that cannot be read shows as a diagnostic entry. */
  listDescendants(rootId: string, signal?: AbortSignal): Promise<readonly SubagentDescendantListEntry[]> {
    return listDescendants(this.#registry, rootId, signal);
  }

  /** What an agent started, or all that is below it, with what each does now. */
  listAgents(
    root: Agent,
    scope: 'children' | 'descendants' = 'children',
    signal?: AbortSignal,
  ): Promise<readonly AgentListing[]> {
    return listAgents(this.#registry, root, scope, signal);
  }

  /**
   * Lets every session below the open top-level agents go on that a crash left with unclaimed input, a cut-off turn or an
   * untold end. Takes nothing from a live owner.
   */
  recover(): Promise<RecoveryReport> {
    return recover(this.#registry);
  }

  /** The whole catalog of a session, now and after each change. Errors with `SessionQueryError` if it cannot be read. */
  catalogOf(parentId: string): Observable<readonly SubagentCatalogEntry[]> {
    return catalogStream(this.#registry, parentId);
  }

  /** Header, log and history of a session. Rejects `SessionQueryError`. */
  readSession(id: string, signal?: AbortSignal): Promise<SessionRecord> {
    return readSession(this.#registry, id, signal);
  }

  /** The whole result of a local child's last activation. Rejects `SessionQueryError`. */
  readResult(id: string, signal?: AbortSignal): Promise<WholeResult> {
    return readResult(this.#registry, id, signal);
  }

  /** Admits nothing more and ends everything, children first; unclaimed mail stays in the store. Does not close the store. */
  async close(): Promise<void> {
    const { actor, closing } = this.#registry;
    if (actor.getSnapshot().status === 'active') actor.send({ type: 'close.requested' });
    await waitFor(actor, (snapshot) => snapshot.status === 'done', { timeout: Number.POSITIVE_INFINITY });
    if (closing.faults.length === 0) return;
    throw new SubagentError('ACTIVATION_TEARDOWN_FAILED', `${closing.faults.length} agents ended with a failed release`, {
      cause: new AggregateError(closing.faults),
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
