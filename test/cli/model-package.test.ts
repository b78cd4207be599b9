/** The program with a model of an AI SDK provider package, which is loaded when it is named. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder } from './support/folders.ts';
import { runProgram } from './support/program.ts';

const preload = pathToFileURL(join(import.meta.dirname, 'support', 'fake-provider.ts')).href;

function runWith(model: string, ...args: string[]) {
  return runProgram(['run', makeFolder({ 'a/b': 'x' }), ...args], {
    env: { TROUPE_MODEL: model, NODE_OPTIONS: `--import ${preload}` },
  });
}

describe('troupe run --model', { timeout: 60_000 }, () => {
  test('a real model gets the same tools and instructions, and its last words are the report', async () => {
    const { code, stdout } = await runWith('fake/writer');
    expect(code).toBe(0);
    expect(stdout).toBe(
      '# By writer\n\ntools: list_directory, read_file, measure_tree, search_text, list_imports, watch_tree, delegate, send_message, interrupt_agent, list_agents; instructions: true\n',
    );
    expect(JSON.parse((await runWith('fake/writer', '--json')).stdout)).toMatchObject({
      model: 'fake/writer',
      inputTokens: 7,
      outputTokens: 3,
      agents: 1,
    });
  });

  test.each([
    ['fake/404', 5, 'the provider does not know the model fake/404'],
    ['fake/401', 10, 'the credentials were refused'],
    ['fake/500', 10, 'the server failed'],
  ])(
    '%s, which its provider refuses, exits with %i in one line without a key or a stack (S5.4)',
    async (model, exit, message) => {
      const { code, stdout, stderr } = await runWith(model);
      expect([code, stdout]).toEqual([exit, '']);
      expect(stderr.match(/^troupe: .*$/gm)).toEqual([expect.stringContaining(message)]);
      expect(stderr).not.toMatch(/SECRET|\bat \S+:\d+/);
    },
  );
});
