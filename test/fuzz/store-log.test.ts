/**
 * R7: damage to what lies beside the file of a store while a process has it: the write-ahead log, its index and the mark. A log that was
 * damaged is seen by the mark; without one it costs whole commits at the end and alters none (docs/decisions/0101).
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { suiteFolder } from '../sessions/temp-folder.ts';
import { Bench, type Verdict } from './damaged-store.ts';
import {
  countOf,
  cutAt,
  flippedAt,
  frameBytes,
  logHeaderBytes,
  type NamedDamage,
  noteDamages,
  pieceDamages,
  zeroedAt,
} from './damages.ts';
import { cases, patience, randomNumbers, replay, spread } from './settings.ts';
import { type Files, type Part, type SoundStores, soundStores } from './sound-store.ts';

const folder = suiteFolder('quick');
let sound: SoundStores;
let bench: Bench;

beforeAll(async () => {
  sound = await soundStores(folder);
  bench = new Bench(folder, sound.killed);
});

async function each<Outcome>(
  part: Part,
  damages: readonly NamedDamage[],
  files: Files,
  judge: (files: Files) => Promise<Outcome>,
) {
  const outcomes: Outcome[] = [];
  for (const [name, damage] of damages) {
    try {
      outcomes.push(await judge({ ...files, [part]: damage(files[part] ?? Buffer.alloc(0)) }));
    } catch (fault) {
      throw new Error(`${part} ${name}: ${(fault as Error).message}\nreplay: ${replay()}`, { cause: fault });
    }
  }
  noteDamages(damages.map(([name]) => name));
  return outcomes;
}

function survey(part: Part, damages: readonly NamedDamage[]): Promise<Verdict[]> {
  return each(part, damages, sound.killed.files, (files) => bench.judge(files));
}

function sizeOf(part: Part): number {
  return sound.killed.files[part]?.length ?? 0;
}

const all = Number.POSITIVE_INFINITY;

function cuts(part: Part, few: number, nightly = all): NamedDamage[] {
  return spread(sizeOf(part), cases(few, nightly), randomNumbers(1)).map((offset) => [`cut off at ${offset}`, cutAt(offset)]);
}

function flips(part: Part, few: number, nightly = all): NamedDamage[] {
  const random = randomNumbers(2);
  return spread(sizeOf(part), cases(few, nightly), random).map((offset) => {
    const bit = Math.floor(random() * 8);
    return [`bit ${bit} of byte ${offset} flipped`, flippedAt(offset, bit)];
  });
}

function zeroRuns(part: Part, few: number, nightly: number): NamedDamage[] {
  const random = randomNumbers(3);
  return spread(sizeOf(part), cases(few, nightly), random).map((offset) => {
    const length = 2 + Math.floor(2 ** (random() * 13));
    return [`${length} bytes of NUL at ${offset}`, zeroedAt(offset, length)];
  });
}

/** Frames of the write-ahead log, lost, doubled or in another's place. */
function frames(): NamedDamage[] {
  const random = randomNumbers(4);
  const pieces = { first: logHeaderBytes, size: frameBytes };
  const count = countOf(pieces, sound.killed.files['store.db-wal'] ?? Buffer.alloc(0));
  return [...Array(count).keys()].flatMap((frame) => {
    const other = (frame + 1 + Math.floor(random() * (count - 1))) % count;
    return Object.entries(pieceDamages(pieces, frame, other)).map(
      ([name, damage]): NamedDamage => [`frame ${frame} ${name} (${other})`, damage],
    );
  });
}

describe('a store that a process left open', () => {
  test('opens with every acknowledged record, and goes on', async () => {
    expect(sizeOf('store.db-wal')).toBeGreaterThan(100_000);
    expect(await bench.judgeWriting(sound.killed.files)).toBe('intact');
    const { 'store.db-shm': _, ...withoutIndex } = sound.killed.files;
    expect(await bench.judgeWriting(withoutIndex)).toBe('intact');
  });

  test('is refused wherever its write-ahead log is cut off, or gone (R7)', patience(60_000), async () => {
    const damages = cuts('store.db-wal', 700, 50_000);
    expect(new Set(await survey('store.db-wal', damages))).toEqual(new Set(['refused at opening']));
    const { 'store.db-wal': _, ...withoutLog } = sound.killed.files;
    expect(await bench.judge(withoutLog)).toBe('refused at opening');
  });

  test('is refused for a flipped bit anywhere in its write-ahead log (R7)', patience(60_000), async () => {
    expect(new Set(await survey('store.db-wal', flips('store.db-wal', 700, 50_000)))).toEqual(new Set(['refused at opening']));
  });

  test('is never altered in silence by NUL bytes in its log, or by frames that are lost, doubled or exchanged (R7)', {
    ...patience(60_000),
  }, async () => {
    const verdicts = await survey('store.db-wal', [...zeroRuns('store.db-wal', 200, 8_000), ...frames()]);
    const refused = verdicts.filter((verdict) => verdict === 'refused at opening').length;
    expect(refused).toBeGreaterThan(verdicts.length / 4); // many runs lie where there were NUL bytes before
  });

  test('is never altered in silence by damage to its file under the log (R7)', patience(60_000), async () => {
    const verdicts = await survey('store.db', [
      ...cuts('store.db', 200, 10_000),
      ...flips('store.db', 300, 10_000),
      ...zeroRuns('store.db', 100, 4_000),
    ]);
    expect(verdicts.filter((verdict) => verdict === 'refused when read').length).toBeGreaterThan(100);
  });

  test('loses nothing with a damaged index of its log, which is made anew (R7)', patience(60_000), async () => {
    const damages = [
      ...cuts('store.db-shm', 50, 2_000),
      ...flips('store.db-shm', 100, 2_000),
      ...zeroRuns('store.db-shm', 30, 1_000),
    ];
    expect(new Set(await survey('store.db-shm', damages))).toEqual(new Set(['intact']));
  });

  test('loses nothing with a damaged mark, of which every byte is cut and every bit flipped (R7)', patience(60_000), async () => {
    const bytes = [...Array(sizeOf('store.db-mark')).keys()];
    const damages = bytes.flatMap((offset): NamedDamage[] => [
      [`cut off at ${offset}`, cutAt(offset)],
      ...[...Array(8).keys()].map((bit): NamedDamage => [`bit ${bit} of byte ${offset} flipped`, flippedAt(offset, bit)]),
    ]);
    expect(new Set(await survey('store.db-mark', damages))).toEqual(new Set(['intact']));
  });
});

test('without its mark, a damaged log costs whole commits at the end, and no record is wrong, missing or out of order before (R7)', {
  ...patience(60_000),
}, async () => {
  const { 'store.db-mark': _, ...files } = sound.killed.files;
  const damages = [
    ...cuts('store.db-wal', 200, 10_000),
    ...flips('store.db-wal', 200, 10_000),
    ...zeroRuns('store.db-wal', 50, 4_000),
    ...frames(),
  ];
  const missing = await each('store.db-wal', damages, files, (damaged) => bench.judgePrefix(damaged));
  const states = sound.killed.states.length;
  expect(new Set(missing.filter((count) => count !== undefined)).size).toBe(states); // from none to all of what was in the log
});
