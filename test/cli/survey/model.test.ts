/** The embedded model alone: what it decides from a prompt, with tools that answer as the test says. */
import { expect, test } from 'vitest';
import { renderAnswer } from '../../../cli/survey/answer.ts';
import { mergeParts } from '../../../cli/survey/merge.ts';
import { surveyModel } from '../../../cli/survey/model.ts';
import type { PartReport } from '../../../cli/survey/part.ts';
import { parseTask, renderTask, type SurveyTask } from '../../../cli/survey/task.ts';
import { converse, type ToolRun } from '../support/converse.ts';

const emptyNotes = { count: 0, first: [] };

interface FakeFolder {
  readonly directories?: Readonly<Record<string, number>>;
  readonly files?: readonly string[];
}

/** Tools that tell of folders that exist nowhere. */
function fakeTools(folders: Readonly<Record<string, FakeFolder>>): Record<string, ToolRun> {
  const filesAt = (path: string) => folders[path]?.files ?? [];
  return {
    list_directory: (input) => {
      const { path } = input as { path: string };
      const folder = folders[path];
      if (folder === undefined) throw new Error('this path is no directory');
      const directories = Object.entries(folder.directories ?? {}).map(([name, filesBelow]) => ({ name, filesBelow }));
      return {
        path,
        directories,
        files: filesAt(path),
        others: [],
        omitted: { directories: 0, files: 0, others: 0 },
        skipped: [],
      };
    },
    measure_tree: (input) => {
      const { paths } = input as { paths: string[] };
      const files = paths.flatMap(filesAt).length;
      const size = { files, lines: files * 10, bytes: files * 100 };
      const types = files === 0 ? [] : [{ type: '.ts', ...size }];
      const notes = {
        unreadable: emptyNotes,
        symlinks: emptyNotes,
        special: emptyNotes,
        uncounted: emptyNotes,
        skipped: emptyNotes,
      };
      return {
        ...size,
        directories: 1,
        binaryFiles: 0,
        types,
        byPath: paths.map((path) => ({ path, ...size })),
        largest: [],
        ...notes,
      };
    },
    search_text: () => ({
      lines: emptyNotes,
      files: 0,
      byWord: [],
      best: [],
      names: emptyNotes,
      notSearched: { binary: 0, tooLarge: 0, unreadable: 0 },
    }),
    list_imports: () => ({ files: 0, languages: [], packages: [], inside: 0, reaches: [], exports: emptyNotes }),
    read_file: () => ({ text: '' }),
  };
}

function childAnswer(paths: readonly string[], files: number): string {
  const size = { files, lines: files * 10, bytes: files * 100 };
  const part: PartReport = {
    ...mergeParts([], { paths, quotes: [], subfolders: [], folders: [] }),
    ...size,
    agents: 1,
    types: [{ type: '.ts', ...size }],
  };
  return renderAnswer(part);
}

function taskIn(input: unknown): SurveyTask {
  const task = parseTask((input as { prompt: string }).prompt);
  if (task === undefined) throw new Error('the prompt is no task');
  return task;
}

const root = (extra: Partial<SurveyTask> = {}) =>
  renderTask({ paths: ['.'], agentsBelow: 8, levelsBelow: 3, answer: 'report', ...extra });

test('it gives each top-level directory to a child of its own, in the foreground, at most four in one step (S8.1)', async () => {
  const tools = fakeTools({ '.': { directories: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, files: ['x.ts'] } });
  const asked: SurveyTask[] = [];
  const { text, steps } = await converse(root(), {
    ...tools,
    delegate: (input) => {
      expect(input).toMatchObject({ run_in_background: false });
      asked.push(taskIn(input));
      return childAnswer(taskIn(input).paths, 3);
    },
  });
  expect(
    steps.map((calls) => calls.filter(({ toolName }) => toolName === 'delegate').length).filter((count) => count > 0),
  ).toEqual([4, 2]);
  expect(asked.map(({ paths }) => paths)).toEqual([['a'], ['b'], ['c'], ['d'], ['e'], ['f']]);
  expect(text).toContain('**19 files, 190 lines, 1,900 bytes**');
  expect(text).toContain('surveyed by 7 agents, 6 parts');
});

test.each([
  [8, 4, [1, 1, 1, 1]],
  [8, 2, [3, 3]],
  [8, 1, [7]],
  [3, 4, [0, 0, 0, 2]],
  [5, 3, [0, 0, 0]],
])(
  'with room for %i agents and %i parts its children may have %j below them, so that the bound is never passed (S1.13)',
  async (agentsBelow, parts, expected) => {
    const names = ['a', 'b', 'c', 'd'].slice(0, parts);
    const tools = fakeTools({ '.': { directories: Object.fromEntries(names.map((name) => [name, 1])) } });
    const asked: SurveyTask[] = [];
    const { steps } = await converse(root({ agentsBelow }), {
      ...tools,
      delegate: (input) => {
        asked.push(taskIn(input));
        return childAnswer(taskIn(input).paths, 1);
      },
    });
    expect(asked.map((task) => task.agentsBelow)).toEqual(expected);
    for (const calls of steps) {
      const batch = calls.filter(({ toolName }) => toolName === 'delegate').map(({ input }) => taskIn(input).agentsBelow);
      expect(batch.reduce((total, below) => total + 1 + below, 0)).toBeLessThanOrEqual(agentsBelow);
    }
    expect(asked.every(({ levelsBelow }) => levelsBelow === 2)).toBe(true);
  },
);

test('a part whose delegation is refused it does itself, and says so (S1.13)', async () => {
  const tools = fakeTools({
    '.': { directories: { a: 2, b: 2 } },
    a: { files: ['1.ts', '2.ts'] },
    b: { files: ['3.ts', '4.ts'] },
  });
  const { text } = await converse(root(), {
    ...tools,
    delegate: (input) => {
      const [path] = taskIn(input).paths;
      if (path === 'a') throw new Error('there are 8 live activations below agent x already.');
      return childAnswer(['b'], 2);
    },
  });
  expect(text).toContain('**4 files, 40 lines, 400 bytes**');
  expect(text).toContain('a was surveyed by the agent above it: there are 8 live activations');
});

test.each([
  ['is no report', 'I looked and it is all fine.'],
  ['is about other paths', childAnswer(['c'], 9)],
  ['has a number that is none', childAnswer(['a'], 3).replace('"files":3', '"files":-3')],
  ['was cut', childAnswer(['a'], 3).slice(0, 120)],
])('a child whose answer %s is not believed: the part is surveyed again', async (_, reply) => {
  const tools = fakeTools({ '.': { directories: { a: 2 } }, a: { files: ['1.ts', '2.ts'] } });
  const { text } = await converse(root(), { ...tools, delegate: () => reply });
  expect(text).toContain('**2 files, 20 lines, 200 bytes**');
  expect(text).toContain('could not be read');
});

test('without a delegate tool, and where it may not delegate, it works alone', async () => {
  const folders = { '.': { directories: { a: 2 }, files: ['1.ts', '2.ts'] } };
  expect((await converse(root(), fakeTools(folders))).text).toContain('**2 files');
  const never = () => {
    throw new Error('it delegated');
  };
  for (const limits of [{ agentsBelow: 0 }, { levelsBelow: 0 }]) {
    expect((await converse(root(limits), { ...fakeTools(folders), delegate: never })).text).toContain('surveyed by one agent');
  }
});

test('a child with a large part divides it further; one with a small part does not', async () => {
  const divided: string[][] = [];
  const task = (filesBelow: number) =>
    converse(renderTask({ paths: ['src'], agentsBelow: 2, levelsBelow: 1, answer: 'part' }), {
      ...fakeTools({ src: { directories: { a: filesBelow, b: filesBelow } } }),
      delegate: (input) => {
        divided.push([...taskIn(input).paths]);
        return childAnswer(taskIn(input).paths, filesBelow);
      },
    });
  expect((await task(200)).text).toContain('Surveyed `src`: 0 files');
  expect(divided).toEqual([]);
  expect((await task(201)).text).toContain('Surveyed `src`: 402 files');
  expect(divided).toEqual([['src/a'], ['src/b']]);
});

test('beyond 48 top-level directories neighbours share a child, and none is left out', async () => {
  const names = Array.from({ length: 200 }, (_, index) => `folder-${String(index).padStart(3, '0')}`);
  const tools = fakeTools({ '.': { directories: Object.fromEntries(names.map((name, index) => [name, 1 + (index % 30)])) } });
  const asked: string[][] = [];
  await converse(root(), {
    ...tools,
    delegate: (input) => {
      asked.push([...taskIn(input).paths]);
      return childAnswer(taskIn(input).paths, 1);
    },
  });
  expect(asked).toHaveLength(48);
  expect(asked.flat()).toEqual(names);
});

test('a directory without files gets no child, and is still looked at', async () => {
  const seen: unknown[] = [];
  const tools = fakeTools({ '.': { directories: { empty: 0, full: 1 } }, empty: {} });
  await converse(root(), {
    ...tools,
    measure_tree: (input) => {
      seen.push(input);
      return tools.measure_tree?.(input);
    },
    delegate: (input) => childAnswer(taskIn(input).paths, 1),
  });
  expect(seen).toContainEqual(expect.objectContaining({ paths: ['empty'], scope: 'all' }));
});

test('the same prompt gives the same step, streamed or not, and another folder another report', async () => {
  const tools = fakeTools({ '.': { files: ['1.ts'] } });
  const first = await converse(root(), tools);
  expect((await converse(root(), tools)).prompt).toEqual(first.prompt);
  expect((await converse(root(), fakeTools({ '.': { files: ['1.ts', '2.ts'] } }))).text).not.toBe(first.text);
  const options = { prompt: first.prompt.slice(0, 1), tools: [] };
  const generated = await surveyModel().doGenerate(options);
  const { stream } = await surveyModel().doStream(options);
  let text = '';
  const kinds: string[] = [];
  for await (const part of stream) {
    kinds.push(part.type);
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'finish') expect(part.usage).toEqual(generated.usage);
  }
  expect([kinds.at(0), kinds.at(-1)]).toEqual(['stream-start', 'finish']);
  expect(generated.content).toEqual([{ type: 'text', text }]);
});

test('tokens are a quarter of the characters, rounded up', async () => {
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }];
  const { usage, content } = await surveyModel().doGenerate({ prompt });
  const [answer] = content;
  expect(usage.inputTokens.total).toBe(Math.ceil(JSON.stringify(prompt).length / 4));
  expect(usage.outputTokens.total).toBe(Math.ceil((answer?.type === 'text' ? answer.text.length : 0) / 4));
});

test('an aborted call rejects with the reason', async () => {
  const call = surveyModel().doStream({ prompt: [], abortSignal: AbortSignal.abort(new Error('enough')) });
  await expect(call).rejects.toThrow('enough');
});

test('every call has an id of its own in the whole history', async () => {
  const tools = fakeTools({ '.': { directories: { a: 1, b: 1 }, files: ['README.md', 'index.ts'] } });
  const { prompt } = await converse(root(), { ...tools, delegate: (input) => childAnswer(taskIn(input).paths, 1) });
  const ids = prompt
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
  expect(new Set(ids).size).toBe(ids.length);
});

test('a tool that fails ends the survey as failed, with its reason, instead of with a wrong number', async () => {
  const tools = fakeTools({ '.': { files: ['a.ts'] } });
  const measure_tree = () => {
    throw new Error('disk on fire');
  };
  const { text, finish } = await converse(root(), { ...tools, measure_tree });
  expect([text, finish]).toEqual(['I could not finish: measure_tree: disk on fire', 'error']);
});

test('a later message is answered by looking again, in the part that the first task named', async () => {
  const tools = fakeTools({ src: { files: ['a.ts'] } });
  const first = await converse(renderTask({ paths: ['src'], agentsBelow: 0, levelsBelow: 0, answer: 'part' }), tools);
  const searched: unknown[] = [];
  const second = await converse(
    'Agent abc sent a message:\nwhere is the epoch?',
    {
      ...tools,
      search_text: (input) => {
        searched.push(input);
        return tools.search_text?.(input);
      },
    },
    first.prompt,
  );
  expect(searched).toContainEqual(expect.objectContaining({ paths: ['src'], words: ['epoch'] }));
  expect(second.text).toContain('About `src`');
});

test('a notice that comes when the work is done changes nothing: the last words stay the answer (S10.1)', async () => {
  const notice = 'Notice from the runtime about subagent abc: src ended: completed';
  const first = await converse(root(), fakeTools({ '.': {} }));
  expect((await converse(notice, {}, first.prompt)).text).toBe(first.text);
  expect((await converse(notice, {})).text).toBe('Noted.');
});

test('what is no task, with none before, is said to be none', async () => {
  expect((await converse('hello', {})).text).toContain('no such task');
});
