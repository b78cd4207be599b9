/** What the embedded model does with agents in the background, and after a crash, with tools that answer as the test says. */
import { expect, test } from 'vitest';
import { renderAnswer } from '../../../cli/survey/answer.ts';
import { countedText, type Findings, finishText, renderFindings } from '../../../cli/survey/findings.ts';
import { mergeParts } from '../../../cli/survey/merge.ts';
import { parseTask, renderTask } from '../../../cli/survey/task.ts';
import { goOnText, isWaiting } from '../../../cli/survey/waiting.ts';
import { type Conversed, converse, type ToolRun } from '../support/converse.ts';

const begin = 1_000;
const watcherId = 'w'.repeat(26);
const none = { count: 0, first: [] };
const task = renderTask({ paths: ['.'], agentsBelow: 8, levelsBelow: 3, answer: 'report' });
const watchTask = renderTask({ paths: ['.'], agentsBelow: 0, levelsBelow: 0, answer: 'changes', since: begin });

function partAnswer(path: string): string {
  const size = { files: 1, lines: 10, bytes: 100 };
  return renderAnswer({
    ...mergeParts([], { paths: [path], quotes: [], subfolders: [], folders: [] }),
    ...size,
    agents: 1,
    types: [{ type: '.ts', ...size }],
  });
}

/** A folder with these directories, one file in each. */
function folderOf(names: readonly string[]): Record<string, ToolRun> {
  const empty = { files: 0, lines: 0, bytes: 0, directories: 0, binaryFiles: 0, types: [], byPath: [], largest: [] };
  return {
    list_directory: (input) => ({
      path: (input as { path: string }).path,
      directories: names.map((name) => ({ name, filesBelow: 1 })),
      files: [],
      others: [],
      omitted: { directories: 0, files: 0, others: 0 },
      skipped: [],
    }),
    measure_tree: () => ({ ...empty, unreadable: none, symlinks: none, special: none, uncounted: none, skipped: none }),
    search_text: () => ({
      lines: none,
      files: 0,
      byWord: [],
      best: [],
      names: none,
      notSearched: { binary: 0, tooLarge: 0, unreadable: 0 },
    }),
    list_imports: () => ({ files: 0, languages: [], packages: [], inside: 0, reaches: [], exports: none }),
    read_file: () => ({ text: '' }),
  };
}

const taskIn = (input: unknown) => parseTask((input as { prompt: string }).prompt);
const isWatch = (input: unknown) => taskIn(input)?.answer === 'changes';
const pathOf = (input: unknown) => taskIn(input)?.paths[0] ?? '';

function withAgents(names: readonly string[], delegate: ToolRun, changed: unknown = none): Record<string, ToolRun> {
  return {
    ...folderOf(names),
    delegate,
    watch_tree: () => ({ at: begin, ms: 1, changed }),
    send_message: () => 'message delivered',
    interrupt_agent: () => 'interrupt requested',
    list_agents: () => `${watcherId} [running] — watch for changes`,
  };
}

const startsAll: ToolRun = (input) => (isWatch(input) ? `started subagent ${watcherId}` : partAnswer(pathOf(input)));

function notice(id: string, label: string, text: string, stopReason = 'completed'): string {
  return `Notice from the runtime about subagent ${id}: ${label} ended: ${stopReason}\nFinal text:\n${text}`;
}

const watchNotice = (findings: Findings) => notice(watcherId, 'watch for changes', renderFindings(findings));

function callsOf({ steps }: Conversed, toolName: string) {
  return steps.flat().filter((call) => call.toolName === toolName);
}

test('the tree is watched from the first count on: the watcher is told what has been counted, interrupted when all has, and asked for its answer (S3.2, S4.1)', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const tools = withAgents(names, startsAll);
  const counting = await converse(task, tools);
  expect(isWaiting(counting.text)).toBe(true);
  const acts = counting.steps.flat().filter(({ toolName }) => /delegate|send|interrupt/.test(toolName));
  expect(acts.map(({ toolName, input }) => (toolName === 'delegate' ? pathOf(input) : toolName))).toEqual([
    '.',
    'a',
    'b',
    'c',
    'send_message',
    'd',
    'e',
    'interrupt_agent',
    'send_message',
  ]);
  expect(taskIn(acts[0]?.input)).toMatchObject({ answer: 'changes', since: begin });
  expect(callsOf(counting, 'send_message').map(({ input }) => (input as { message: string }).message)).toEqual([
    countedText(['a', 'b', 'c']),
    finishText,
  ]);
  const { text, steps } = await converse(watchNotice({ changed: [], more: 0 }), tools, counting.prompt);
  expect(steps).toEqual([]);
  expect(text).toContain('**5 files, 50 lines, 500 bytes**');
  expect(text).toContain('No change was seen in the folder while it was surveyed.');
});

test('what changed meanwhile is in the report, also what only the last look of the top-level agent shows', async () => {
  const tools = withAgents(['a'], startsAll, { count: 2, first: ['a/x', 'late'] });
  const { prompt } = await converse(task, tools);
  const { text } = await converse(watchNotice({ changed: [{ path: 'a/x', isCounted: true }], more: 0 }), tools, prompt);
  expect(text).toContain('- Changed while the survey ran (2):\n  - `a/x` after its part had been counted\n  - `late`\n');
});

test('where nobody can watch, or nothing is given to others, the survey goes on without (S1.13)', async () => {
  const refuse: ToolRun = (input) => {
    if (isWatch(input)) throw new Error('there are 8 live activations');
    return partAnswer(pathOf(input));
  };
  const { text } = await converse(task, withAgents(['a'], refuse));
  expect(text).toContain('**1 file, 10 lines');
  expect(text).toContain('The folder was not watched for changes meanwhile: there are 8 live activations.');
  const alone = await converse(task, withAgents([], refuse));
  expect(alone.text).toContain('The folder holds no files');
  expect(alone.text).not.toContain('watched');
});

test('a watcher that is interrupted before it did anything, and woken by what is said then, is waited for', async () => {
  const tools = withAgents(['a'], startsAll);
  const { prompt } = await converse(task, tools);
  const aborted = await converse(notice(watcherId, 'watch for changes', '', 'aborted'), tools, prompt);
  expect(isWaiting(aborted.text)).toBe(true);
  const { text } = await converse(watchNotice({ changed: [], more: 0 }), tools, aborted.prompt);
  expect(text).toContain('**1 file');
});

test('the watcher looks again and again, each time from its last look on, and says what changed in what had been counted', async () => {
  const looks: { since: number; wait_ms: number }[] = [];
  const first = await converse(watchTask, {
    watch_tree: (input) => {
      looks.push(input as { since: number; wait_ms: number });
      return { at: begin + looks.length, ms: 2, changed: looks.length === 2 ? { count: 1, first: ['b/y'] } : none };
    },
  });
  expect(looks.map(({ since }) => since)).toEqual(looks.map((_, index) => begin + index));
  expect(looks.slice(0, 4).map(({ wait_ms: wait }) => wait)).toEqual([100, 150, 225, 338]);
  expect(Math.max(...looks.map(({ wait_ms: wait }) => wait))).toBe(1_000);
  expect(looks).toHaveLength(40);
  expect(first.text).toBe(renderFindings({ changed: [{ path: 'b/y', isCounted: false }], more: 0 }));
});

test('a watcher that is interrupted keeps what it saw, looks once more when it is woken, and answers (S4.1)', async () => {
  const interrupted = [
    { role: 'user' as const, content: [{ type: 'text' as const, text: watchTask }] },
    ...stepOf('1', { type: 'json', value: { at: begin + 1, ms: 1, changed: { count: 1, first: ['a/x'] } } }),
    { role: 'user' as const, content: [{ type: 'text' as const, text: `Agent r sent a message:\n${countedText(['a'])}` }] },
    ...stepOf('2', { type: 'error-text', value: 'The call was interrupted; it may or may not have taken effect.' }),
  ];
  const looks: unknown[] = [];
  const { text } = await converse(
    `Agent r sent a message:\n${finishText}`,
    {
      watch_tree: (input) => {
        looks.push(input);
        return { at: begin + 9, ms: 1, changed: { count: 2, first: ['a/z', 'b/y'] } };
      },
    },
    interrupted,
  );
  expect(looks).toEqual([{ paths: ['.'], since: begin + 1, wait_ms: 0 }]);
  expect(text).toBe(
    renderFindings({
      changed: [
        { path: 'a/x', isCounted: false },
        { path: 'a/z', isCounted: true },
        { path: 'b/y', isCounted: false },
      ],
      more: 0,
    }),
  );
});

function stepOf(toolCallId: string, output: { type: 'json'; value: never } | { type: 'error-text'; value: string } | object) {
  const call = { type: 'tool-call' as const, toolCallId, toolName: 'watch_tree', input: {} };
  const result = { type: 'tool-result' as const, toolCallId, toolName: 'watch_tree', output: output as never };
  return [
    { role: 'assistant' as const, content: [call] },
    { role: 'tool' as const, content: [result] },
  ];
}

const cutOff = (open: readonly string[]) =>
  [
    'Notice from the runtime: your last turn was cut off when its process ended.',
    'Tool calls without a result may or may not have taken effect. Check what is done before you go on.',
    ...(open.length === 0 ? [] : [`These subagents are not finished and report when they are: ${open.join(', ')}.`]),
  ].join('\n');
const said = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] });
const idOf = (letter: string) => letter.repeat(26);

/** The prompt of an agent that was cut off while these parts were at work, and no answer had been recorded. */
async function cutInTheMiddle(names: readonly string[]) {
  const tools = withAgents(names, startsAll);
  const { prompt } = await converse(task, tools);
  const step = prompt.findIndex(
    ({ role, content }) => role === 'tool' && content.some((part) => part.type === 'tool-result' && part.toolName === 'delegate'),
  );
  const result = { type: 'error-text' as const, value: 'The call was interrupted; it may or may not have taken effect.' };
  return prompt.slice(0, step + 1).map((message, at) => {
    if (message.role !== 'tool' || at < step) return message;
    return { ...message, content: message.content.map((part) => ({ ...part, output: result }) as typeof part) };
  });
}

test('after a crash it takes what has been reported, waits for what is at work, and gives away only the rest (S10.1, P18)', async () => {
  const before = await cutInTheMiddle(['a', 'b', 'c', 'd']);
  const given: string[] = [];
  const tools = withAgents(['a', 'b', 'c', 'd'], (input) => {
    given.push(pathOf(input));
    return startsAll(input);
  });
  const prompt = [...before, said(notice(idOf('a'), 'a', partAnswer('a')))];
  const back = await converse(cutOff([`${watcherId} (watch for changes)`, `${idOf('b')} (b)`]), tools, prompt);
  expect([isWaiting(back.text), given]).toEqual([true, []]);
  const heard = await converse(notice(idOf('b'), 'b', partAnswer('b')), tools, back.prompt);
  expect([isWaiting(heard.text), given]).toEqual([true, ['c', 'd']]);
  const { text } = await converse(watchNotice({ changed: [], more: 0 }), tools, heard.prompt);
  expect(text).toContain('**4 files, 40 lines, 400 bytes**');
  expect(text).toContain('No change was seen');
});

test('what cannot come back is done without when the program says so (S10.1)', async () => {
  const before = await cutInTheMiddle(['a']);
  const tools = withAgents(['a'], startsAll);
  const back = await converse(cutOff([`${idOf('a')} (a)`]), tools, before);
  expect(isWaiting(back.text)).toBe(true);
  const again = await converse(goOnText, tools, back.prompt);
  expect(callsOf(again, 'delegate').map(({ input }) => pathOf(input))).toEqual(['.', 'a']);
  const { text } = await converse(watchNotice({ changed: [], more: 0 }), tools, again.prompt);
  expect(text).toContain('**1 file, 10 lines');
  expect(text).not.toContain('## The question');
});

test('a label with commas and brackets is read whole, and one that holds another is not taken for it (P15)', async () => {
  const before = await cutInTheMiddle(['b', 'x, y (b)']);
  const given: string[] = [];
  const tools = withAgents(['b', 'x, y (b)'], (input) => {
    given.push(pathOf(input));
    return startsAll(input);
  });
  const back = await converse(cutOff([`${watcherId} (watch for changes)`, `${idOf('b')} (x, y (b))`]), tools, before);
  expect([isWaiting(back.text), given]).toEqual([true, []]);
  await converse(notice(idOf('b'), 'x, y (b)', partAnswer('x, y (b)')), tools, back.prompt);
  expect(given).toEqual(['b']);
});
