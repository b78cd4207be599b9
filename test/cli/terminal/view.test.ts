import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Activity } from '../../../cli/terminal/activity.ts';
import { treeLines } from '../../../cli/terminal/tree.ts';
import { createView } from '../../../cli/terminal/view.ts';
import type { NewSessionEvent, SubagentEvent } from '../../../src/index.ts';

let now: number;
let written: string;

beforeEach(() => {
  now = 0;
  written = '';
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const screen = (extra = {}) => ({ write: (text: string) => (written += text), ...extra });
const activityOf = () => new Activity({ id: 'root', label: 'folder' }, () => now);

function info(id: string, parentId: string, label: string, depth: number) {
  return { runId: `run-${id}`, provider: 'spawn', id, local: true, parentId, label, depth };
}

const started = (id: string, parentId = 'root', label = id, depth = 1): SubagentEvent => ({
  type: 'subagent/start',
  ...info(id, parentId, label, depth),
});
const ended = (id: string, stopReason: 'completed' | 'error' = 'completed'): SubagentEvent => ({
  type: 'subagent/end',
  ...info(id, 'root', id, 1),
  stopReason,
});

function appended(agentId: string, ...events: Pick<NewSessionEvent, 'type' | 'data'>[]): SubagentEvent {
  return { type: 'session/appended', agentId, events: events.map((event) => ({ time: 0, ...event })) as NewSessionEvent[] };
}

const turnStarted = { type: 'turn/started', data: { turnId: 't', epoch: 1 } } as const;
const turnEnded = { type: 'turn/ended', data: { turnId: 't', stopReason: 'completed' } } as const;
const said = {
  type: 'assistant/message',
  data: {
    turnId: 't',
    content: [{ type: 'tool-call', callId: 'c', toolName: 'measure_tree', input: {} }],
    usage: { inputTokens: 1_000, outputTokens: 234 },
  },
} as const;

test('without a terminal there is one line for each start and end, and nothing else', () => {
  const view = createView(activityOf(), screen());
  view.take(started('a'));
  view.take(appended('a', turnStarted, said, turnEnded));
  view.take(started('b', 'a', 'below', 2));
  now = 1_500;
  view.take(ended('b', 'error'));
  view.take(ended('a'));
  view.stop();
  expect(written).toBe(
    [
      '  started a',
      '    started below',
      '    error below: 0 turns, 0 tokens, 1.5 s',
      '  completed a: 1 turn, 1,234 tokens, 1.5 s',
      '',
    ].join('\n'),
  );
  expect(vi.getTimerCount()).toBe(0);
});

test('the tree shows state, label, turns, tokens, elapsed time and the tool at work', () => {
  const activity = activityOf();
  for (const event of [
    started('a', 'root', 'src'),
    started('b', 'root', 'docs'),
    started('c', 'a', 'src/deep', 2),
    appended('a', turnStarted, said),
    ended('b'),
  ])
    activity.take(event);
  now = 2_340;
  expect(treeLines(activity, 20, 200)).toEqual([
    'running   folder  0 turns, 0 tokens, 2.3 s',
    '  running   src  1 turn, 1,234 tokens, 2.3 s, measure_tree',
    '    running   src/deep  0 turns, 0 tokens, 2.3 s',
    '  completed docs  0 turns, 0 tokens, 0.0 s',
  ]);
});

test('a tree that does not fit drops what has ended first, never what runs, and cuts lines', () => {
  const activity = activityOf();
  for (let index = 0; index < 30; index++) activity.take(started(`agent-${index}`));
  for (let index = 0; index < 25; index++) activity.take(ended(`agent-${index}`));
  const lines = treeLines(activity, 10, 24);
  expect(lines).toHaveLength(10);
  expect(lines.filter((line) => line.includes('running')).length).toBe(6);
  expect(lines.at(-1)).toBe('  … 22 more have ended');
  expect(lines.every((line) => Array.from(line).length <= 24)).toBe(true);
});

test('on a terminal the tree is drawn over itself, and stopping leaves no timer and draws no more', () => {
  const activity = activityOf();
  const view = createView(activity, screen({ isTTY: true, rows: 24, columns: 80 }));
  view.take(started('a'));
  vi.advanceTimersByTime(100);
  expect(written).toContain('  running   a');
  written = '';
  vi.advanceTimersByTime(100);
  expect(written).toContain('\u001b[2A');
  view.stop();
  view.stop();
  expect(vi.getTimerCount()).toBe(0);
  written = '';
  view.take(ended('a'));
  vi.advanceTimersByTime(1_000);
  expect(written).toBe('');
});

test('the last frame says how the top-level agent ended', () => {
  const activity = activityOf();
  const view = createView(activity, screen({ isTTY: true, rows: 24, columns: 80 }));
  view.take(appended('root', turnStarted, turnEnded));
  written = '';
  activity.end('root', 'completed');
  view.stop();
  expect(written).toContain('completed folder  1 turn');
  expect(written).not.toContain('waiting');
});

test('labels and notes bring no control character to the screen (S11)', () => {
  for (const isTTY of [true, false]) {
    const activity = activityOf();
    const view = createView(activity, screen({ isTTY }));
    view.take(started('a', 'root', 'evil\u001b[2J\u0007\nlabel'));
    view.note('a note\u001b[31m');
    view.stop();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the view's own sequences are taken out first
    expect(written.replaceAll(/\u001b\[(?:\?7[lh]|\d+A|J)|\r/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    written = '';
  }
});

const sent = (senderSessionId: string, text: string) =>
  ({
    type: 'inbox/inserted',
    data: {
      messageId: 'm',
      lane: 'step',
      wakes: true,
      source: { kind: 'agent-message', form: 'relay', senderSessionId },
      content: [{ type: 'text', text }],
    },
  }) as unknown as typeof said;
const asksToInterrupt = (id: string) =>
  ({
    type: 'assistant/message',
    data: { turnId: 't', content: [{ type: 'tool-call', callId: 'c', toolName: 'interrupt_agent', input: { agent_id: id } }] },
  }) as unknown as typeof said;
const turnAborted = { type: 'turn/ended', data: { turnId: 't', stopReason: 'aborted' } } as unknown as typeof turnEnded;

test('words from the agent above, and an interruption, are shown as they happen (S3.2, S4.1)', () => {
  const view = createView(activityOf(), screen());
  view.take(started('a'));
  view.take(appended('a', turnStarted, sent('root', 'also\u001b look\nthere'), sent('below', 'done')));
  view.take(appended('root', asksToInterrupt('a')));
  view.take(appended('a', turnAborted));
  view.take(ended('a'));
  expect(written.split('\n').slice(0, -1)).toEqual([
    '  started a',
    '  steered a: also look there',
    '  interrupted a',
    '  completed a: 1 turn, 0 tokens, 0.0 s, steered once',
  ]);
});

test('the tree says that an agent was steered, and that it was interrupted; a turn that ends otherwise is none (S4.1)', () => {
  const activity = activityOf();
  for (const id of ['a', 'b']) activity.take(started(id));
  activity.take(appended('a', turnStarted, sent('root', 'x'), sent('root', 'y')));
  activity.take(appended('root', asksToInterrupt('a')));
  for (const id of ['a', 'b']) activity.take(appended(id, turnStarted, turnAborted));
  const lines = treeLines(activity, 10, 100);
  expect(lines[1]).toBe('  interrupted a  2 turns, 0 tokens, 0.0 s, steered 2 times');
  expect(lines[2]).toMatch(/^ {2}waiting +b /);
});
