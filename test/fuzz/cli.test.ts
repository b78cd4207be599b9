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
import type { NewSessionEvent } from '../../src/sessions/event.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { runProgram } from '../cli/support/program.ts';
import { header, messageId, sessionId } from '../sessions/samples.ts';
import { suiteFolder, tempFolder } from '../sessions/temp-folder.ts';
import { awkwardTexts, text } from './hostile.ts';
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
  const hostile = `\u001b[2J\u001b]0;owned\u0007\r\n\u202eab\u2028c\ud800\0${'x'.repeat(2_000)}`;

  /** Every text that a log can hold, as hostile as can be: a session of each kind, and a child of each mode. */
  beforeAll(async () => {
    const store = sqliteStore({ path: join(folder, '.troupe', 'sessions.db') });
    const log = (id: string): NewSessionEvent[] => [
      inserted(`Paths: ["a"]\nQuestion: ${JSON.stringify(hostile)}\nAnswer with: report\n${hostile}`, id),
      { type: 'turn/started', time: 1, data: { turnId: 't', epoch: 1 } },
      assistant([{ type: 'text', text: hostile }, { type: 'reasoning', text: hostile }, call(hostile), call('c2')]),
      {
        type: 'tool/results',
        time: 1,
        data: { turnId: 't', content: [result(hostile, hostile), result('c2', { [hostile]: [hostile] })] },
      },
      assistant([{ type: 'text', text: hostile }]),
      { type: 'turn/ended', time: 1, data: { turnId: 't', stopReason: hostile as never, diagnostic: hostile } },
    ];
    const child = (id: string, mode: string): NewSessionEvent => ({
      type: 'subagent/child',
      time: 1,
      data: { id, mode: mode as never, label: hostile, createdAt: 1 },
    });
    const children = [
      child('kid', 'continuable'),
      child('gone', hostile),
      child(hostile, 'external'),
      child('../../etc', 'one-shot'),
    ];
    await store.create(header('top', { cwd: `/tmp/${hostile}`, project: `/tmp/${hostile}` }), 'o', [...log('top'), ...children]);
    await store.create(header('over'), 'o', over());
    const below = { delegationDepth: 1, parentSession: sessionId('top'), origin: 'subagent', cwd: hostile } as const;
    await store.create(header('kid', below), 'o', [descriptor(), ...log('kid')]);
    await store.close();
  });

  /** Nothing is left to do, so that the reason of its end is what is shown. */
  function over(): NewSessionEvent[] {
    const stopReason = hostile as never;
    return [
      { type: 'turn/started', time: 1, data: { turnId: 't', epoch: 1 } },
      { type: 'turn/ended', time: 1, data: { turnId: 't', stopReason } },
      { type: 'activation/ended', time: 1, data: { runId: 'r', epoch: 1, stopReason } },
    ];
  }

  function descriptor(): NewSessionEvent {
    const data = {
      version: 1,
      provider: hostile,
      mode: 'continuable',
      label: hostile,
      agentOptions: { model: hostile },
    } as const;
    return { type: 'subagent/descriptor', time: 1, data };
  }

  function inserted(words: string, id: string): NewSessionEvent {
    const content = [
      { type: 'text', text: words },
      { type: 'image', mediaType: hostile, data: hostile },
    ] as const;
    const source = { kind: 'subagent-settled', form: 'notice', summary: hostile, senderSessionId: hostile } as const;
    return { type: 'inbox/inserted', time: 1, data: { messageId: messageId(id), lane: 'turn', wakes: true, source, content } };
  }

  function assistant(content: Extract<NewSessionEvent, { type: 'assistant/message' }>['data']['content']): NewSessionEvent {
    return { type: 'assistant/message', time: 1, data: { turnId: 't', content, model: hostile } };
  }

  function call(callId: string) {
    return { type: 'tool-call', callId, toolName: hostile, input: { [hostile]: hostile } } as const;
  }

  function result(callId: string, output: string | Record<string, string[]>) {
    return { type: 'tool-result', callId, toolName: hostile, output, isError: true } as const;
  }

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
