/** Says why a machine has too many states to walk: which fields never stop taking new values. */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { SubagentError } from '../../errors.ts';
import { canonical } from './canonical.ts';
import { clip } from './part-names.ts';
import { childrenOf } from './state-key.ts';

const fieldsShown = 5;
const levelsMax = 4;

interface Field {
  readonly name: string;
  readonly values: readonly string[];
  /** Whether it still took a new value among the last quarter of the states: a bounded field has long had them all by then. */
  readonly isGrowing: boolean;
}

/** The snapshots in the order in which they were found: near ones first. */
export function growthError(machine: AnyStateMachine, snapshots: readonly AnyMachineSnapshot[]): SubagentError {
  const fields = fieldsOf(snapshots).sort((one, other) => other.values.length - one.values.length);
  const growing = fields.filter(({ isGrowing }) => isGrowing);
  const shown = (growing.length > 0 ? growing : fields).slice(0, fieldsShown);
  const why =
    growing.length > 0
      ? 'These grow without bound, as far as can be seen:'
      : 'No field grows by itself, but together they make the states:';
  return new SubagentError(
    'INVALID_ARGUMENT',
    [
      `${machine.id} has more than ${snapshots.length - 1} states (statesMax). ${why}`,
      ...shown.map(describe),
      'Bound them with a guard or the input, leave events out with accepts, or drop fields from the key with stateKey.',
    ].join('\n'),
  );
}

function describe({ name, values }: Field): string {
  const shown = values.length <= 4 ? values : [...values.slice(0, 3), '…', values.at(-1) ?? ''];
  return `  ${name} took ${values.length} values: ${shown.map((value) => clip(value, 30)).join(', ')}`;
}

function fieldsOf(snapshots: readonly AnyMachineSnapshot[]): Field[] {
  const firstSeen = new Map<string, Map<string, number>>();
  const see = (name: string, value: string, index: number) => {
    const values = firstSeen.get(name) ?? new Map<string, number>();
    firstSeen.set(name, values);
    if (!values.has(value)) values.set(value, index);
  };
  for (const [index, snapshot] of snapshots.entries()) {
    for (const [name, value] of leavesOf('context', snapshot.context, 0)) see(name, canonical(value), index);
    see('children', childrenOf(snapshot), index);
  }
  const late = snapshots.length * 0.75;
  return [...firstSeen]
    .filter(([, values]) => values.size > 1)
    .map(([name, values]) => ({
      name,
      values: [...values.keys()],
      isGrowing: [...values.values()].some((index) => index >= late),
    }));
}

/** Down through plain objects; a list is one value. */
function leavesOf(name: string, value: unknown, level: number): [string, unknown][] {
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain || level >= levelsMax) return [[name, value]];
  return Object.entries(value).flatMap(([key, part]) => leavesOf(`${name}.${key}`, part, level + 1));
}
