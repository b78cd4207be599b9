/** The examples of the document pass, each in a process of its own. */
import { expect, test } from 'vitest';
import { examplesIn, runExample } from '../../docs/examples.ts';

const examples = examplesIn('docs/testing/conformance.md');

test('the document has an example of each suite', () => {
  expect(examples.map(({ title }) => title)).toEqual(['A store', 'A driver', 'A provider', 'A provider']);
});

for (const [index, example] of examples.entries()) {
  test(`example ${index + 1} of the document (${example.title}) passes`, async () => {
    const output = await runExample(example);
    expect(output).toMatch(/^(#|ℹ) fail 0$/m);
    expect(output).toMatch(/^(#|ℹ) pass [1-9]\d+$/m);
  }, 60_000);
}
