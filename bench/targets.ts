/**
 * What each row has to hold. The bounds were set before the code was written, from what XState alone costs and from a
 * throw-away of this design; docs/benchmarks.md tells how they came about.
 */
export interface Target {
  /** The field of the row that is bounded. */
  readonly field: string;
  readonly max?: number;
  readonly min?: number;
}

const bytesPerKibibyte = 1_024;

const targets: Readonly<Record<string, readonly Target[]>> = {
  'lifecycle.memory': [
    { field: 'ratioToFloor', max: 5 },
    { field: 'value', max: 250 },
  ],
  'lifecycle.sqlite': [{ field: 'ratioToMemory', max: 2.5 }],
  'lifecycle.memory.10k': [{ field: 'ratioTo1k', max: 1.5 }],
  'lifecycle.memory.100k': [{ field: 'ratioTo1k', max: 1.5 }],
  'drain.flat10k': [{ field: 'ratioToDrainFloor', max: 7 }],
  'drain.tree1110': [{ field: 'ratioToDrainFloor', max: 7 }],
  'drain.chain500': [{ field: 'ratioToDrainFloor', max: 7 }],
  'heap.perWaitingChild': [{ field: 'value', max: 8 * bytesPerKibibyte }],
  'messages.memory': [{ field: 'value', max: 15 }],
  'messages.sqlite': [{ field: 'value', min: 20_000 }],
  'messages.sqlite.64': [{ field: 'value', min: 20_000 }],
  'notices.1000': [{ field: 'value', max: 20 }],
  'resume.memory': [{ field: 'value', max: 0.5 }],
  'resume.sqlite': [{ field: 'value', max: 1.5 }],
  list1000: [{ field: 'value', max: 2 }],
};

export function targetsOf(row: string): readonly Target[] {
  return targets[row] ?? [];
}

export function isHeld({ max, min }: Target, value: number): boolean {
  return value <= (max ?? Number.POSITIVE_INFINITY) && value >= (min ?? Number.NEGATIVE_INFINITY);
}
