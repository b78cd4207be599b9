/**
 * The checks of the simulation are checked themselves: mistakes that people make are planted in the library, one at a time, and must
 * be found (R18). `npm test` plants a few; TROUPE_NIGHTLY=1 all of them. `node test/simulation/defects/main.ts` shows what finds which.
 */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, test } from 'vitest';
import { defectNames, loadDefect } from './planting/all-defects.ts';
import { type Defect, patched } from './planting/defect.ts';
import { huntAll } from './planting/hunt.ts';

const root = new URL('../../', import.meta.url);
const isNightly = process.env.TROUPE_NIGHTLY === '1';
/** Of different layers: the disk, the store, the inbox, a machine, a release. Each is found by one of the first seeds. */
const sample = ['told-before-commit', 'lease-ignored', 'message-claimed-twice', 'parent-released-first', 'external-words-lost'];

const defects = await Promise.all(defectNames().map(loadDefect));

describe('a planted defect', () => {
  test.each(defects)('changes one place for each of its patches, and what it makes is a program: $name (R18)', (defect) => {
    for (const file of new Set(defect.patches.map((patch) => patch.file))) {
      const source = readFileSync(new URL(file, root), 'utf8');
      const changed = patched(source, file, defect);
      expect(changed).not.toBe(source);
      stripTypeScriptTypes(changed);
    }
  });

  test('that fits nowhere, or in two places, is refused', () => {
    const defect: Defect = { name: 'made up', promise: 'none', patches: [{ file: 'src/made-up.ts', from: 'one', to: 'two' }] };
    expect(() => patched('another', 'src/made-up.ts', defect)).toThrow('has 0 places');
    expect(() => patched('one and one', 'src/made-up.ts', defect)).toThrow('has 2 places');
    expect(patched('one', 'src/made-up.ts', defect)).toBe('two');
    expect(patched('one', 'src/other.ts', defect)).toBe('one');
  });

  test('is found by the first seeds (R18)', { timeout: isNightly ? 600_000 : 60_000 }, async () => {
    const planted = isNightly ? defects : defects.filter(({ name }) => sample.includes(name));
    const hunts = await huntAll(planted, { seeds: isNightly ? 200 : 20, width: 2 });
    expect(hunts.filter(({ seed }) => seed === undefined).map(({ name }) => name)).toEqual([]);
    expect(hunts).toHaveLength(isNightly ? defects.length : sample.length);
  });
});

test('there are more than twenty planted defects, each under the name of its file (R18)', () => {
  expect(defects.length).toBeGreaterThan(20);
  expect(defects.map(({ name }) => name)).toEqual(defectNames());
});
