/** What a benchmark is: one figure with its fields, measured in a process of its own beside the floors. */
import { floor } from './floors.ts';
import { alternate, type Case, type Rounds, type Spent } from './measure.ts';

/** How much to do. A quick run shows that everything works; its figures mean nothing. */
export interface Effort {
  readonly isQuick: boolean;
}

export interface Figures {
  readonly value: number;
  readonly ratioToFloor?: number;
  readonly [field: string]: number | undefined;
}

export interface Row {
  readonly name: string;
  readonly unit: string;
  /** What one unit of `value` covers, for the reader of the table. */
  readonly of: string;
  measure(effort: Effort): Promise<Figures>;
}

export function sized({ isQuick }: Effort, full: number): number {
  return isQuick ? Math.max(10, Math.ceil(full / 100)) : full;
}

/** Children a round of a floor, in a quick run too: CPU time is counted in steps of up to 4 ms. */
const floorChildren = 2_000;

type WithFloors<Name extends string> = Record<Name | 'fourHop' | 'sameHop', Spent>;

/** Measures the cases and both floors by turns. */
export function besideFloors<Name extends string>(
  effort: Effort,
  rounds: Rounds,
  cases: Record<Name, Case>,
): Promise<WithFloors<Name>> {
  const floors = { fourHop: () => floor('four-hop', floorChildren), sameHop: () => floor('same-hop', floorChildren) };
  const all = { ...floors, ...cases } as Record<Name | keyof typeof floors, Case>;
  return alternate(effort.isQuick ? { warmUps: 0, counted: 1 } : rounds, all);
}

/** `us`: microseconds of the row's work for one unit. The floors are CPU time, which is all they spend. */
export function floorFields(us: number, { fourHop, sameHop }: WithFloors<never>) {
  return {
    ratioToFloor: us / fourHop.cpuUs,
    ratioToSameHopFloor: us / sameHop.cpuUs,
    floorUs: fourHop.cpuUs,
    sameHopFloorUs: sameHop.cpuUs,
  };
}
