/**
 * S11, S4, S9: what a person types, and what the program prints. Any arguments are a command or a usage failure of one line; any id and
 * any folder is found or not; and nothing that a model, a file or another writer wrote reaches the terminal as it is.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseCommand } from '../../cli/arguments.ts';
import { checkCommand } from '../../cli/commands/check.ts';
import { lsCommand } from '../../cli/commands/ls.ts';
import { runCommand } from '../../cli/commands/run.ts';
import { showCommand } from '../../cli/commands/show.ts';
import { Failure, failureLine, toFailure } from '../../cli/exit.ts';
import { openFolder } from '../../cli/folder.ts';
import type { Io } from '../../cli/io.ts';
import { loadModel } from '../../cli/model.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { runProgram } from '../cli/support/program.ts';
import { suiteFolder, tempFolder } from '../sessions/temp-folder.ts';
import { awkwardTexts, text } from './hostile.ts';
import { writeHostileSessions } from './hostile-log.ts';
import { cases, holds, patience } from './settings.ts';

/** Everything that moves a cursor, hides or reorders text. Line feeds and tabs separate what is printed. */
const unsafe = /[^\P{Cc}\n\t]|[\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

function recorder(): Io & { printed: string } {
  const say = (words: string) => {
    io.printed += words;
  };
  const io = {
    printed: '',
    out: async (words: string) => say(words),
    screen: { write: say },
    stop: new AbortController().signal,
  };
  return io;
}

/** What the program prints of a failure: one line. Anything but a failure of its own fails the test. */
function lineOf(error: unknown): string {
  expect(toFailure(error)).toBeInstanceOf(Failure);
  const line = failureLine(toFailure(error));
  expect(line).toMatch(/^troupe: [^\n]*\n$/);
  expect(line).not.toMatch(unsafe);
  return line;
}

test('any arguments are a command, or a usage failure of one printable line (S9, S11)', patience(60_000), async () => {
  const word = fc.oneof(
    fc.constantFrom(
      ...[
        'run',
        'ls',
        'show',
        'send',
        'check',
        'help',
        '--model',
        '--json',
        '--new',
        '--tree',
        '--dir',
        '-h',
        '-v',
        '--',
        '-',
        '--x=1',
      ],
    ),
    text,
  );
  const property = fc.asyncProperty(
    fc.array(word, { maxLength: 6 }),
    fc.option(text, { nil: undefined }),
    async (args, model) => {
      try {
        expect(['run', 'ls', 'show', 'send', 'check', 'help', 'version']).toContain(parseCommand(args, model).name);
      } catch (error) {
        expect((error as Failure).exit).toBe('usage');
        lineOf(error);
      }
    },
  );
  await holds(property, cases(10_000, 100_000), 'hostileNames');
});

test('any name of a model is known, or refused in one printable line, and loads no package but one of a provider (S9, S11)', {
  ...patience(60_000),
}, async () => {
  const property = fc.asyncProperty(
    fc.oneof(
      text,
      text.map((name) => `openai/${name}`),
    ),
    async (name) => {
      const asked: string[] = [];
      const load = loadModel(name, async (packageName) => {
        asked.push(packageName);
        throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' });
      });
      lineOf(await load.catch((error: unknown) => error));
      for (const packageName of asked) expect(packageName).toMatch(/^@ai-sdk\/[a-z0-9][a-z0-9-]*$/);
    },
  );
  await holds(property, cases(1_000, 20_000), 'hostileNames');
});

describe('a database that others have written to', () => {
  const folder = suiteFolder('quick');

  beforeAll(async () => {
    const store = sqliteStore({ path: join(folder, '.troupe', 'sessions.db') });
    await writeHostileSessions(store);
    await store.close();
  });

  test.each([
    ['ls', (io: Io) => lsCommand({ name: 'ls', folder, tree: false }, io)],
    ['ls --tree', (io: Io) => lsCommand({ name: 'ls', folder, tree: true }, io)],
    ['check', (io: Io) => checkCommand({ name: 'check', folder }, io).catch(lineOf)],
    ['show of the top', (io: Io) => showCommand({ name: 'show', folder, id: 'top' }, io)],
    ['show of one that is over', (io: Io) => showCommand({ name: 'show', folder, id: 'over' }, io)],
    ['show of a child', (io: Io) => showCommand({ name: 'show', folder, id: 'kid' }, io)],
  ])('is printed by %s without anything that a terminal obeys (S11)', async (_, command) => {
    const io = recorder();
    await command(io);
    expect(io.printed).not.toBe('');
    expect(io.printed).not.toMatch(unsafe);
  });

  test('shows a session for its own id only, whatever is asked for, and makes nothing (S4)', patience(60_000), async () => {
    const before = [readdirSync(folder), readdirSync(join(folder, '.troupe'))];
    const bytes = readFileSync(join(folder, '.troupe', 'sessions.db'));
    const property = fc.asyncProperty(text, async (id) => {
      const io = recorder();
      const outcome = await showCommand({ name: 'show', folder, id }, io).catch((error: unknown) => error);
      expect((outcome as Failure).exit).toBe('sessionUnknown');
      lineOf(outcome);
      expect(io.printed).toBe('');
    });
    await holds(property, cases(150, 3_000), 'hostileNames');
    expect([readdirSync(folder), readdirSync(join(folder, '.troupe'))]).toEqual(before);
    expect(readFileSync(join(folder, '.troupe', 'sessions.db')).equals(bytes)).toBe(true);
  });

  test('a folder that is none is said in one printable line, whatever it is called (S11)', patience(60_000), async () => {
    const property = fc.asyncProperty(text, async (name) => {
      try {
        openFolder(join(folder, 'no', name));
      } catch (error) {
        lineOf(error);
      }
    });
    await holds(property, cases(1_000, 20_000), 'hostileNames');
  });
});

test('a report names files by what can be shown of their names (S11)', patience(60_000), async () => {
  const folder = tempFolder('quick');
  const names = awkwardTexts.filter(
    (name) => /^[^/\0]+$/.test(name) && name !== '.' && name !== '..' && Buffer.byteLength(name) < 200,
  );
  for (const name of names) writeFileSync(join(folder, `${name}.ts`), `import './${name}';\n// TODO ${name}\u001b[2J\n`);
  const io = recorder();
  expect(await runCommand({ name: 'run', folder, json: false, isNew: true }, io)).toBe(0);
  expect(io.printed).toContain('.ts');
  expect(io.printed).not.toMatch(unsafe);
});

test('the words of a model are printed without what a terminal obeys (S11)', patience(60_000), async () => {
  const preload = pathToFileURL(join(import.meta.dirname, '..', 'cli', 'support', 'fake-provider.ts')).href;
  const folder = tempFolder('quick');
  writeFileSync(join(folder, 'a.ts'), 'x');
  const env = { TROUPE_MODEL: 'fake/\u001b[2J\u202ex', NODE_OPTIONS: `--import ${preload}` }; // it says its name
  const { code, stdout, stderr } = await runProgram(['run', folder], { env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('# By [2Jx')]);
  expect(`${stdout}${stderr}`).not.toMatch(unsafe);
});
