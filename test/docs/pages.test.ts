/** Every page in docs/testing, by itself: its blocks compile, and each runs and prints what it says. */
import { afterAll, describe, expect, test } from 'vitest';
import { blocksIn, PageFolder, pagesIn } from './pages.ts';

describe.each(pagesIn('docs/testing'))('%s', (page) => {
  const blocks = blocksIn(page);
  const folder = new PageFolder(blocks);
  afterAll(() => folder.remove());

  test('compiles', async () => expect(await folder.problems()).toEqual([]), 60_000);

  for (const block of blocks) {
    test(`${block.file} runs${block.prints === undefined ? '' : ' and prints what it says'}`, async () => {
      const printed = await folder.run(block);
      if (block.prints !== undefined) expect(printed).toContain(block.prints);
    }, 60_000);
  }
});
