/**
 * R7: damage to the file of a store that was closed. Cut anywhere, with any bit flipped, with runs of NUL or rubbish, with pages lost,
 * doubled or exchanged: it answers as before, or refuses with a code. `TROUPE_NIGHTLY=1` takes every byte.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { suiteFolder } from '../sessions/temp-folder.ts';
import { Bench, type Verdict } from './damaged-store.ts';
import {
  countOf,
  cutAt,
  flippedAt,
  type NamedDamage,
  noteDamages,
  pageBytes,
  pieceDamages,
  randomAt,
  zeroedAt,
} from './damages.ts';
import { cases, patience, randomNumbers, replay, spread } from './settings.ts';
import { type SoundStores, soundStores } from './sound-store.ts';

const folder = suiteFolder('quick');
let sound: SoundStores;
let bench: Bench;

beforeAll(async () => {
  sound = await soundStores(folder);
  bench = new Bench(folder, sound.closed);
});

type Count = Readonly<Record<Verdict, number>>;

/** Damages the file in each of these ways. Throws for one that the store did not see, with what it was. */
async function survey(damages: readonly NamedDamage[], isWritten = false): Promise<Count> {
  const count = { intact: 0, 'refused at opening': 0, 'refused when read': 0, 'refused when written': 0 };
  const { files } = sound.closed;
  for (const [name, damage] of damages) {
    const damaged = { ...files, 'store.db': damage(files['store.db'] ?? Buffer.alloc(0)) };
    try {
      count[isWritten ? await bench.judgeWriting(damaged) : await bench.judge(damaged)]++;
    } catch (fault) {
      throw new Error(`${name}: ${(fault as Error).message}\nreplay: ${replay()}`, { cause: fault });
    }
  }
  noteDamages(damages.map(([name]) => name));
  return count;
}

function size(): number {
  return sound.closed.files['store.db']?.length ?? 0;
}

const all = Number.POSITIVE_INFINITY;

test('the store holds about 200 records, and answers for each of them', async () => {
  expect(sound.events).toBeGreaterThan(180);
  expect(size() % pageBytes).toBe(0);
  expect(await bench.judgeWriting(sound.closed.files)).toBe('intact');
});

test('a store that is not looked through when it is opened may miss a session or an entry, and gives back none that is wrong (R7)', {
  ...patience(60_000),
}, async () => {
  const unchecked = new Bench(folder, sound.closed, { isChecked: false });
  const random = randomNumbers(7);
  for (const offset of spread(size(), cases(400, 20_000), random)) {
    const bit = Math.floor(random() * 8);
    const file = flippedAt(offset, bit)(sound.closed.files['store.db'] ?? Buffer.alloc(0));
    try {
      await unchecked.judgeUnchecked({ ...sound.closed.files, 'store.db': file });
    } catch (fault) {
      throw new Error(`bit ${bit} of byte ${offset}: ${(fault as Error).message}\nreplay: ${replay()}`, { cause: fault });
    }
  }
});

describe('a store that was closed in good order', () => {
  test(
    'is refused wherever its file is cut off, unless nothing but NUL bytes at its end are gone (R7)',
    patience(60_000),
    async () => {
      const file = sound.closed.files['store.db'] ?? Buffer.alloc(0);
      const offsets = spread(size(), cases(4_000, all), randomNumbers(1));
      const isNothingGone = (offset: number) => file.subarray(offset).every((byte) => byte === 0);
      const cuts = (among: readonly number[]) => among.map((offset) => [`cut off at ${offset}`, cutAt(offset)] as const);
      expect((await survey(cuts(offsets.filter((offset) => !isNothingGone(offset))))).intact).toBe(0);
      const endings = spread(pageBytes, cases(100, all), randomNumbers(6)).map((offset) => size() - 1 - offset);
      await survey(cuts(endings), true);
    },
  );

  test('is never altered in silence by a flipped bit (R7)', patience(60_000), async () => {
    const random = randomNumbers(2);
    const offsets = spread(size(), cases(1_200, all), random);
    const count = await survey(
      offsets.map((offset) => {
        const bit = Math.floor(random() * 8);
        return [`bit ${bit} of byte ${offset} flipped`, flippedAt(offset, bit)] as const;
      }),
    );
    expect(count['refused at opening']).toBeGreaterThan(offsets.length / 100);
    expect(count['refused when read']).toBeGreaterThan(offsets.length / 3); // what only our checksums see
  });

  test('goes on as it was, or refuses, when bits of its header were flipped and it is written to (R7)', {
    ...patience(60_000),
  }, async () => {
    const bits = spread(100 * 8, cases(200, all), randomNumbers(3)); // bytes 0 to 99 are the header of the database
    const flips = bits.map((bit) => [`bit ${bit} of the header flipped`, flippedAt(bit >> 3, bit & 7)] as const);
    const count = await survey(flips, true);
    expect(count.intact).toBeGreaterThan(10);
    expect(count['refused at opening']).toBeGreaterThan(10);
  });

  test.each([
    ['NUL', zeroedAt],
    ['rubbish', (offset: number, length: number) => randomAt(offset, length, randomNumbers(offset))],
  ] as const)('is never altered in silence by a run of %s (R7)', patience(60_000), async (name, damage) => {
    const random = randomNumbers(4);
    const runs = spread(size(), cases(250, 8_000), random).map((offset) => {
      const length = 2 + Math.floor(2 ** (random() * 13));
      return [`${length} bytes of ${name} at ${offset}`, damage(offset, length)] as const;
    });
    const count = await survey(runs);
    expect(count['refused at opening'] + count['refused when read']).toBeGreaterThan(runs.length / 4);
  });

  test('is never altered in silence by a page that is lost, doubled or in another’s place, also when it is written to (R7)', {
    ...patience(60_000),
  }, async () => {
    const random = randomNumbers(5);
    const pages = { first: 0, size: pageBytes };
    const pageCount = countOf(pages, sound.closed.files['store.db'] ?? Buffer.alloc(0));
    const damages = spread(pageCount, cases(pageCount, all), random).flatMap((page) => {
      const others = cases(1, pageCount) === 1 ? [Math.floor(random() * pageCount)] : [...Array(pageCount).keys()];
      return others
        .filter((other) => other !== page)
        .flatMap((other) =>
          Object.entries(pieceDamages(pages, page, other)).map(
            ([name, damage]) => [`page ${page} ${name} (${other})`, damage] as const,
          ),
        );
    });
    const count = await survey(damages, true);
    expect(count['refused at opening']).toBeGreaterThan(damages.length / 2);
  });
});
