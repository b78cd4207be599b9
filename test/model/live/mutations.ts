/** Faults that only a live agent shows: the machine decides as before, but what it asks of the world does not arrive, or wrongly. */
import type { ActivationContext } from '../../../src/machines/index.ts';
import type { Draft, Fault } from '../mutate.ts';

export interface LiveMutation {
  readonly name: string;
  readonly fault: Fault;
}

type Effect = (given: { readonly context: ActivationContext }) => void;

function effectOf(draft: Draft, name: string): Effect {
  const effect = draft.actions[name];
  if (typeof effect !== 'function') throw new Error(`the machine has no effect ${name}`);
  return effect as Effect;
}

const missing = (name: string) => (draft: Draft) => {
  effectOf(draft, name);
  draft.actions[name] = () => undefined;
};
const twice = (name: string) => (draft: Draft) => {
  const effect = effectOf(draft, name);
  draft.actions[name] = (given: Parameters<Effect>[0]) => {
    effect(given);
    effect(given);
  };
};
const insteadOf = (name: string, other: string) => (draft: Draft) => {
  draft.actions[name] = effectOf(draft, other);
};
const forAnother = (name: string) => (draft: Draft) => {
  const effect = effectOf(draft, name);
  draft.actions[name] = ({ context }: Parameters<Effect>[0]) => effect({ context: { ...context, id: `${context.id}x` } });
};

export const liveMutations: readonly LiveMutation[] = [
  { name: 'a start is not begun', fault: missing('materialize') },
  { name: 'a cancelled start goes on', fault: missing('abortMaterialization') },
  { name: 'a start is not announced', fault: missing('announceStarted') },
  { name: 'an end is not announced', fault: missing('announceEnded') },
  { name: 'an end is announced twice', fault: twice('announceEnded') },
  { name: 'a turn is not begun', fault: missing('beginTurn') },
  { name: 'a turn is begun twice', fault: twice('beginTurn') },
  { name: 'a turn is not asked to stop', fault: missing('stopTurn') },
  { name: 'children are not asked to stop', fault: missing('stopChildren') },
  { name: 'the seal is not written', fault: missing('seal') },
  { name: 'the seal is a flush', fault: insteadOf('seal', 'flush') },
  { name: 'the last flush is not written', fault: missing('flush') },
  { name: 'the result is not captured', fault: missing('capture') },
  { name: 'the resources of another agent are disposed', fault: forAnother('disposeResources') },
  { name: 'the parent is not told', fault: missing('notify') },
  { name: 'the parent is told twice', fault: twice('notify') },
  { name: 'the place is not free when the parent is told', fault: missing('returnCapacity') },
];
