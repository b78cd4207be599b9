import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseCommand } from '../../cli/arguments.ts';
import { exitCodes, exitMeanings, failureLine, toFailure } from '../../cli/exit.ts';
import { helpText } from '../../cli/help.ts';
import { loadModel } from '../../cli/model.ts';
import { findCommand } from '../../cli/workspace/workspace.ts';
import { SubagentError } from '../../src/index.ts';

test.each([
  [['run'], { name: 'run', folder: '.', json: false, isNew: false }],
  [['run', 'src'], { name: 'run', folder: 'src', json: false, isNew: false }],
  [
    ['run', 'src', 'where?', '--model', 'openai/gpt-5', '--json'],
    { name: 'run', folder: 'src', question: 'where?', model: 'openai/gpt-5', json: true, isNew: false },
  ],
  [['run', '--new'], { name: 'run', folder: '.', json: false, isNew: true }],
  [['run', '--', '-odd'], { name: 'run', folder: '-odd', json: false, isNew: false }],
  [['run', '.', ''], { name: 'run', folder: '.', json: false, isNew: false }],
  [['ls', '--tree', '--dir', 'src'], { name: 'ls', folder: 'src', tree: true }],
  [['check', '--dir', 'src'], { name: 'check', folder: 'src' }],
  [['show', 'abc'], { name: 'show', folder: '.', id: 'abc' }],
  [['send', 'abc', 'a text', '--model=x/y'], { name: 'send', folder: '.', id: 'abc', text: 'a text', model: 'x/y' }],
  [['help'], { name: 'help' }],
  [['run', '-h'], { name: 'help' }],
  [['--version'], { name: 'version' }],
])('%j is read as %j', (args, command) => {
  expect(parseCommand(args, undefined)).toEqual(command);
});

test.each([
  [[], 'say what to do'],
  [['fly'], 'no command "fly"'],
  [['constructor'], 'no command "constructor"'],
  [['run', 'a', 'b', 'c'], 'takes no "c"'],
  [['run', '--tree'], 'run takes no --tree'],
  [['run', '--unknown'], "Unknown option '--unknown'"],
  [['run', '--model'], 'argument missing'],
  [['ls', 'src'], 'takes no "src"'],
  [['show'], 'needs an ID'],
  [['send', 'abc'], 'an ID and a text'],
  [['send', 'abc', '  '], 'not empty'],
])('%j is refused as usage: %s', (args, message) => {
  expect(() => parseCommand(args, undefined)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }),
  );
});

test('the model is that of the option, then of the environment, then the embedded one', () => {
  expect(parseCommand(['run'], 'a/b')).toMatchObject({ model: 'a/b' });
  expect(parseCommand(['run', '--model', 'c/d'], 'a/b')).toMatchObject({ model: 'c/d' });
  expect(parseCommand(['run'], '')).not.toHaveProperty('model');
});

test('every exit code is distinct, and stands in the help and in the documentation with the same words', () => {
  const codes = Object.values(exitCodes);
  expect(new Set(codes).size).toBe(codes.length);
  const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');
  for (const [name, code] of Object.entries(exitCodes)) {
    const meaning = exitMeanings[name as keyof typeof exitCodes];
    expect(helpText()).toContain(`${String(code).padStart(3)}  ${meaning}`);
    expect(page).toContain(`| ${code} | ${meaning} |`);
  }
  expect(page).toContain(findCommand);
});

test.each([
  ['STORE_LOCKED', 6],
  ['BUSY', 6],
  ['STORE_DAMAGED', 7],
  ['STORE_UNSUPPORTED', 7],
  ['SESSION_DAMAGED', 7],
  ['SESSION_NOT_FOUND', 8],
  ['STORE_FULL', 9],
  ['DEPTH_EXCEEDED', 1],
] as const)('an error of code %s exits with %i', (code, exit) => {
  expect(toFailure(new SubagentError(code, 'x')).exitCode).toBe(exit);
});

test('a failure is one line, whatever its message holds', () => {
  expect(failureLine(toFailure(new Error('two\nlines\u001b[31m and an end')))).toBe('troupe: two lines[31m and an end\n');
});

test('a model of a package is made by the provider that the package exports', async () => {
  const language = (kind: string) => (id: string) => ({ kind, id });
  const packages: Record<string, Record<string, unknown>> = {
    '@ai-sdk/openai': {
      createOpenAI: () => undefined,
      openai: Object.assign(language('call'), { languageModel: language('openai') }),
    },
    '@ai-sdk/google-vertex': { vertex: { languageModel: language('vertex') } },
    '@ai-sdk/openai-compatible': { createOpenAICompatible: () => undefined },
    '@ai-sdk/strict': {
      strict: {
        languageModel: () => {
          throw new Error('no such model');
        },
      },
    },
  };
  const load = (name: string) =>
    loadModel(name, async (packageName) => {
      const found = packages[packageName];
      if (found === undefined) throw Object.assign(new Error('missing'), { code: 'ERR_MODULE_NOT_FOUND' });
      return found;
    });
  expect(await load('openai/gpt-5')).toEqual({ name: 'openai/gpt-5', model: { kind: 'openai', id: 'gpt-5' } });
  expect(await load('google-vertex/a/b')).toMatchObject({ model: { kind: 'vertex', id: 'a/b' } });
  for (const [name, message] of [
    ['openai-compatible/x', 'offers no language models'],
    ['strict/x', 'has no model "x"'],
    ['absent/x', 'npm install @ai-sdk/absent'],
  ] as const) {
    await expect(load(name)).rejects.toThrow(expect.objectContaining({ exitCode: 5, message: expect.stringContaining(message) }));
  }
  for (const name of ['openai', '/x', 'x/', '../../evil/x', 'UPPER/x']) {
    await expect(load(name)).rejects.toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining('provider/name') }),
    );
  }
});
