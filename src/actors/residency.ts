/**
 * One agent in memory: what its actor's effects work on. Created at admission, forgotten at release.
 *
 * I1  Decisions are the machine's. This record holds what the machine must not: sessions, messages, handles, promises.
 * I2  Promises, controllers and streams are made on first use; most agents never need them.
 */
import type { ActorRefFrom } from 'xstate';
import type { Agent } from '../agents/agent.ts';
import type { AgentComposition } from '../agents/composition.ts';
import { Inbox } from '../agents/inbox.ts';
import { SubagentError } from '../errors.ts';
import type { ActivationMachine } from '../machines/activation.ts';
import type { ActivationEvent, ActivationKind, MailPolicy } from '../machines/activation-types.ts';
import type { createAttachmentMachine } from '../machines/attachment.ts';
import type { SubagentResult, SubagentRun } from '../providers/contract.ts';
import type { ContentBlock } from '../sessions/content.ts';
import type { AgentOptions, NewSessionEvent, SubagentStopReason } from '../sessions/event.ts';
import type { JsonObject, JsonValue } from '../sessions/json.ts';
import type { InboxMessage } from '../sessions/message.ts';
import type { Session } from '../sessions/session.ts';
import { LiveAgent } from './live-agent.ts';
import type { RunningTurn } from './running-turn.ts';

export type ActivationActor = ActorRefFrom<ActivationMachine>;
export type AttachmentActor = ActorRefFrom<ReturnType<typeof createAttachmentMachine>>;

/** What waits in the log of a freshly opened agent. */
export interface OpeningMail {
  readonly queued: number;
  readonly parked: number;
}

/** Creates or reopens what the agent lives on. Undoes what it made if it fails or `signal` has fired before publication. */
export type OpeningPlan = (residency: Residency, signal: AbortSignal) => Promise<OpeningMail>;

/** How a host that runs its agent itself takes part. */
export interface HostPort {
  /**
   * Takes a message for the agent: a child's notice or words. Resolve once it is safely yours, within `notifyMs`. If it throws,
   * rejects or is late, the message stays pending, and a notice comes again, under the same `messageId`, when the child or the
   * runtime is recovered: deduplicate by `messageId`. Show it to a model through `toUserEntry`.
   */
  deliver(message: InboxMessage): Promise<void> | void;
}

export interface ResidencySetup {
  readonly id: string;
  readonly kind: ActivationKind | 'attached';
  readonly label: string;
  readonly depth: number;
  readonly cwd: string | (() => string);
  readonly parent: Residency | undefined;
  readonly provider: string;
  readonly delivery: 'parent' | 'caller';
  readonly composition: AgentComposition | undefined;
  readonly options: AgentOptions;
  readonly outputSchema: JsonObject | undefined;
  readonly plan: OpeningPlan | undefined;
}

const noChildren: ReadonlySet<Residency> = new Set();

export class Residency {
  readonly id: string;
  readonly kind: ActivationKind | 'attached';
  readonly parent: Residency | undefined;
  readonly provider: string;
  readonly delivery: 'parent' | 'caller';
  readonly agent: Agent;
  readonly outputSchema: JsonObject | undefined;
  composition: AgentComposition | undefined;
  options: AgentOptions;
  plan: OpeningPlan | undefined;
  actor!: ActivationActor | AttachmentActor;
  runId = '';
  /** Came back from the store: if it comes to no turn, because what it came for was refused or is below it, there is no end to tell of. */
  isResumed = false;

  /** Made with the first: most agents never have one. */
  #children: Set<Residency> | undefined;
  /** Children started in its whole life. */
  startedChildren = 0;
  session: Session | undefined;
  inbox = new Inbox();
  /** Count and bytes of what is offered or waits, for the inbox limits. */
  inboxMessages = 0;
  inboxBytes = 0;
  turn: RunningTurn | undefined;
  /** A turn whose start is in the log, or on its way there, and whose end is not. */
  unclosedTurn: RunningTurn | undefined;
  run: SubagentRun | undefined;
  host: HostPort | undefined;

  /** Text blocks of the last assistant message that had any. */
  lastAssistant: readonly ContentBlock[] | undefined;
  streamed = '';
  structured: { readonly value: JsonValue } | undefined;
  stopReason: SubagentStopReason = 'aborted';
  diagnostic: string | undefined;
  captured: SubagentResult | undefined;
  /** Why `result` rejects, if it does. */
  captureFault: unknown;
  /** Why the session can no longer be written. */
  lostFault: SubagentError | undefined;
  /** Why opening failed. */
  openingFault: unknown;
  teardownFault: unknown;
  /** The end of the activation, while it is not in the log. */
  unwritten: readonly NewSessionEvent[] = [];

  /** What an external run ended with. */
  external: SubagentResult | undefined;
  #externalId: string | undefined;
  #runDisposal: Promise<void> | undefined;
  #turnEnded: PromiseWithResolvers<void> | undefined;
  #opening: AbortController | undefined;
  #opened: PromiseWithResolvers<void> | undefined;
  #released: PromiseWithResolvers<void> | undefined;
  /** Of a host-run agent, once it has left: its session is given up. */
  handedBack: Promise<void> | undefined;
  isOpened = false;
  isReleased = false;
  onReleased: ((residency: Residency) => void) | undefined;

  constructor(setup: ResidencySetup) {
    this.id = setup.id;
    this.kind = setup.kind;
    this.parent = setup.parent;
    this.provider = setup.provider;
    this.delivery = setup.delivery;
    this.outputSchema = setup.outputSchema;
    this.composition = setup.composition;
    this.options = setup.options;
    this.plan = setup.plan;
    this.agent = new LiveAgent(setup);
  }

  /** The id by which others know it: an external child's is its backend's. */
  get childId(): string {
    return this.#externalId ?? this.id;
  }

  /** From now on it is known by the id of its run. */
  adopt(run: SubagentRun): void {
    this.run = run;
    this.#externalId = run.id;
  }

  /** Owned children that are not released. */
  get children(): ReadonlySet<Residency> {
    return this.#children ?? noChildren;
  }

  own(child: Residency): void {
    this.#children ??= new Set();
    this.#children.add(child);
  }

  disown(child: Residency): void {
    this.#children?.delete(child);
  }

  get root(): Residency {
    let root: Residency = this;
    while (root.parent !== undefined) root = root.parent;
    return root;
  }

  get opening(): AbortController {
    this.#opening ??= new AbortController();
    return this.#opening;
  }

  /** What comes for an agent that is gone has nobody to hear it. */
  send(event: ActivationEvent): void {
    if (!this.isReleased) (this.actor as ActivationActor).send(event);
  }

  /** Asks it to end. A host-run agent has no mail of its own, and no state for being opened: that is cut off first. */
  requestEnd(mail: MailPolicy): void {
    if (this.kind !== 'attached') {
      this.send({ type: 'dispose.requested', mail });
    } else if (this.isOpened) {
      this.leave();
    } else {
      this.openingFault ??= new SubagentError('DRAINING', 'the agent was stopped while it was opened');
      this.opening.abort(this.openingFault);
    }
  }

  /** For a host-run agent. */
  leave(): void {
    if (!this.isReleased) (this.actor as AttachmentActor).send({ type: 'leave.requested' });
  }

  hasTag(tag: 'receiving' | 'delegating' | 'ending'): boolean {
    return this.actor.getSnapshot().hasTag(tag);
  }

  /** Whether a message offered now is taken by this activation. */
  get isReceiving(): boolean {
    const snapshot = (this.actor as ActivationActor).getSnapshot();
    return snapshot.hasTag('receiving') && snapshot.context.isInboxClosed !== true;
  }

  /** Whether it may start children now. */
  get isDelegating(): boolean {
    const snapshot = (this.actor as ActivationActor).getSnapshot();
    return snapshot.hasTag('delegating') && snapshot.context.isDelegationClosed !== true;
  }

  get mailPolicy(): MailPolicy {
    return (this.actor as ActivationActor).getSnapshot().context.mail;
  }

  /** Resolves when the turn that runs now is over. */
  turnEnded(): Promise<void> {
    this.#turnEnded ??= Promise.withResolvers<void>();
    return this.#turnEnded.promise;
  }

  endTurn(): void {
    this.turn = undefined;
    this.#turnEnded?.resolve();
    this.#turnEnded = undefined;
  }

  /** Disposes the external run, once. Its provider's signal fires first (S1.6). */
  async disposeRun(): Promise<void> {
    const { run } = this;
    this.#opening?.abort();
    this.#runDisposal ??= (async () => run?.dispose())();
    await this.#runDisposal;
  }

  /** Resolves when it is resident; rejects with the opening's fault. */
  whenOpened(): Promise<void> {
    this.#opened ??= Promise.withResolvers<void>();
    if (this.isOpened) this.#opened.resolve();
    else if (this.isReleased) this.#opened.reject(this.#whyNotOpened());
    return this.#opened.promise;
  }

  whenReleased(): Promise<void> {
    this.#released ??= Promise.withResolvers<void>();
    if (this.isReleased) this.#released.resolve();
    return this.#released.promise;
  }

  markOpened(): void {
    this.isOpened = true;
    this.plan = undefined;
    if (this.kind !== 'external') this.#opening = undefined;
    this.#opened?.resolve();
  }

  /** The first fault counts, also one that says nothing: other people's code may reject with `undefined`. */
  failTeardown(fault: unknown): void {
    this.teardownFault ??= fault ?? new Error('it failed and did not say why');
  }

  /** Observer of the actor: its machine is final. */
  complete(): void {
    this.#leave();
  }

  /** Observer of the actor: it failed, which total actions exclude; the agent is gone all the same. */
  error(fault: unknown): void {
    this.failTeardown(fault);
    this.#leave();
  }

  #leave(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.onReleased?.(this);
    // a release whose session was lost skips the step that hands it back; only another owner can say what was written
    if (this.lostFault !== undefined) this.session?.handBack().catch(() => undefined);
    if (!this.isOpened) this.#opened?.reject(this.#whyNotOpened());
    this.#released?.resolve();
    this.#forgetWork();
  }

  #whyNotOpened(): unknown {
    return this.openingFault ?? this.lostFault ?? new SubagentError('DRAINING', 'the agent was stopped while it was started');
  }

  /** Whoever still holds a handle keeps the result and the faults alive, and nothing else (P32). */
  #forgetWork(): void {
    this.plan = undefined;
    this.session = undefined;
    this.inbox = new Inbox();
    this.turn = undefined;
    this.run = undefined;
    this.lastAssistant = undefined;
    this.streamed = '';
    this.structured = undefined;
    this.external = undefined;
    this.onReleased = undefined;
    this.#opening = undefined;
  }
}
