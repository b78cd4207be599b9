/**
 * The effects behind the activation machine. Each is total (never throws), returns at once, and answers later through the
 * events named beside it, exactly once. None sends to the activation synchronously.
 */
export interface ActivationPorts {
  /** `activation.materialized` or `activation.failed`. */
  materialize(id: string): void;
  /** Cancels `materialize`, which then answers `activation.failed` unless publication came first; `release.expired` if neither comes in time. */
  abortMaterialization(id: string): void;
  announceStarted(id: string): void;
  /** `message.claimed`, perhaps `message.returned`, then `turn.ended` or `turn.failed`. */
  beginTurn(id: string): void;
  /** Asks the running turn to end; `turn.overdue` if it does not in time. */
  stopTurn(id: string): void;
  /** Asks every owned child to end and bounds the wait; `release.expired` when the bound has passed. */
  stopChildren(id: string): void;
  /** `session.sealed` or `seal.failed`. Asked again if an offer or a child overtook it; either answer will then do. */
  seal(id: string): void;
  /** `session.flushed` or `flush.failed`. */
  flush(id: string): void;
  /** `result.captured` or `capture.failed`. */
  capture(id: string): void;
  /** `resources.disposed` or `dispose.failed`. */
  disposeResources(id: string): void;
  returnCapacity(id: string): void;
  announceEnded(id: string): void;
  /** `parent.notified` or `notify.failed`. */
  notify(id: string): void;
}

interface Given {
  readonly context: { readonly id: string };
}

/** The machine's actions that ask the ports for something: each names the activation by its id. */
export function effectsOf(ports: ActivationPorts) {
  return {
    materialize: ({ context }: Given) => ports.materialize(context.id),
    abortMaterialization: ({ context }: Given) => ports.abortMaterialization(context.id),
    announceStarted: ({ context }: Given) => ports.announceStarted(context.id),
    beginTurn: ({ context }: Given) => ports.beginTurn(context.id),
    stopTurn: ({ context }: Given) => ports.stopTurn(context.id),
    stopChildren: ({ context }: Given) => ports.stopChildren(context.id),
    seal: ({ context }: Given) => ports.seal(context.id),
    flush: ({ context }: Given) => ports.flush(context.id),
    capture: ({ context }: Given) => ports.capture(context.id),
    disposeResources: ({ context }: Given) => ports.disposeResources(context.id),
    returnCapacity: ({ context }: Given) => ports.returnCapacity(context.id),
    announceEnded: ({ context }: Given) => ports.announceEnded(context.id),
    notify: ({ context }: Given) => ports.notify(context.id),
  };
}

const nothing = (): void => undefined;

/** Ports that do nothing and never answer. */
export const noActivationPorts: ActivationPorts = {
  materialize: nothing,
  abortMaterialization: nothing,
  announceStarted: nothing,
  beginTurn: nothing,
  stopTurn: nothing,
  stopChildren: nothing,
  seal: nothing,
  flush: nothing,
  capture: nothing,
  disposeResources: nothing,
  returnCapacity: nothing,
  announceEnded: nothing,
  notify: nothing,
};
