import { describe, expect, test } from 'vitest';
import { examplesIn, runExample } from './examples.ts';

describe('the examples in the documents', () => {
  test('the one in the README has at most 15 lines, runs, and answers', async () => {
    const [example] = examplesIn('README.md');
    expect(
      example?.code
        .trim()
        .split('\n')
        .filter((line) => line !== '').length,
    ).toBeLessThanOrEqual(15);
    expect(await runExample(example ?? { title: '', code: '' })).toContain('completed All is well.');
  });

  const expected: Record<string, string> = {
    'Delegate from your own code, and wait': 'completed All is well.',
    'Run your own loop instead of the AI SDK’s': 'heard: hello',
    'Keep your loop, attach your agent': 'tests ended: completed',
    'Talk to a child that has finished': "label: 'notes'",
    'Ask for a value instead of prose': '{ files: 3 }',
    'Let a model delegate in the background': 'heard of 2 subagents',
    'Go on after a crash': 'second resumed 0 told 0',
    'Give the model the control tools': '(no subagents)',
    'Generate tests from a machine': '5 passed, 0 failed, every edge taken: true',
    'Simulate your own tree': '50 seeds: nothing wrong',
    'Watch what happens': 'end watched completed',
  };
  const recipes = examplesIn('docs/cookbook.md');

  test('every recipe has an expectation, and every expectation a recipe', () => {
    expect(recipes.map((recipe) => plain(recipe.title)).sort()).toEqual(Object.keys(expected).map(plain).sort());
  });

  for (const recipe of recipes) {
    test(`the recipe "${recipe.title}" does what it says`, async () => {
      const wanted = Object.entries(expected).find(([title]) => plain(title) === plain(recipe.title))?.[1];
      expect(await runExample(recipe)).toContain(wanted);
    });
  }
});

function plain(title: string): string {
  return title.replaceAll('’', "'");
}
