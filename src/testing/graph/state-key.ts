/** The default key of a state: every fact of a snapshot that decides what can happen next. */
import type { AnyActorRef, AnyMachineSnapshot } from 'xstate';
import { SubagentError } from '../../errors.ts';
import { actorName, canonical, canonicalCharsMax } from './canonical.ts';
import { stateName } from './edges.ts';

/**
 * Value, status and context, and what JSON of a snapshot drops: which children there are, and where history leads.
 * `INVALID_ARGUMENT` if the context is larger than 20,000 characters: too much to compare in every state.
 */
export function stateKeyOf(snapshot: AnyMachineSnapshot): string {
  const context = canonical(snapshot.context);
  if (context.length > canonicalCharsMax) throw tooLarge(snapshot);
  const ended = snapshot.status === 'active' ? '' : ` ${canonical(snapshot.output)}`;
  return `${canonical(snapshot.value)} ${snapshot.status}${ended} ${context} ${childrenOf(snapshot)} ${historyOf(snapshot)}`;
}

/** Active states that have no active child: `cart.full`, or `form.dirty + network.down`. */
export function placeName({ _nodes, status, error, machine }: AnyMachineSnapshot): string {
  const leaves = _nodes.filter(({ type }) => type === 'atomic' || type === 'final').map(stateName);
  const name = leaves.length === 0 ? machine.id : leaves.join(' + ');
  return status === 'error' ? `${name} in error (${error instanceof Error ? error.message : String(error)})` : name;
}

/** A child is undefined if the machine has no implementation for it. */
export function childrenIn({ children }: AnyMachineSnapshot): [id: string, child: AnyActorRef | undefined][] {
  return Object.entries(children as Record<string, AnyActorRef | undefined>);
}

export function childrenOf(snapshot: AnyMachineSnapshot): string {
  const names = childrenIn(snapshot).map(([id, child]) => (child === undefined ? id : actorName(child)));
  return names.length === 0 ? '' : `children ${names.sort().join(',')}`;
}

function historyOf({ historyValue }: AnyMachineSnapshot): string {
  const entries = Object.entries(historyValue ?? {}).map(([id, nodes]) => `${id}=${nodes.map(({ id: node }) => node).join('+')}`);
  return entries.length === 0 ? '' : `history ${entries.sort().join(',')}`;
}

function tooLarge({ context, machine }: AnyMachineSnapshot): SubagentError {
  const sizes = Object.entries(context as object).map(([field, value]) => ({ field, chars: canonical(value).length }));
  const largest = sizes.sort((one, other) => other.chars - one.chars)[0];
  return new SubagentError(
    'INVALID_ARGUMENT',
    `the context of ${machine.id} is too large to tell its states apart: context.${largest?.field} alone takes ` +
      `${largest?.chars} characters of at most ${canonicalCharsMax}. Give a stateKey that leaves it out.`,
  );
}
