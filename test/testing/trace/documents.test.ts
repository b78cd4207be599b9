/** The page names every rule as the code has it. That its example runs is tested with those of the other pages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { traceRules } from '../../../src/testing/trace/rules.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/testing/traces.md'), 'utf8');

test('the page has every rule with its promise and its numbers, and no other, under what it holds for', () => {
  const [, always = '', store = '', settled = ''] = page.split(/^## /m);
  const parts = { always, store, settled };
  for (const [holds, part] of Object.entries(parts)) {
    const rules = Object.entries(traceRules).filter(([, rule]) => rule.holds === holds);
    const rows = part.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toEqual(rules.map(([name, { promise, numbers }]) => `| \`${name}\` | ${promise} | ${numbers} |`));
  }
});
