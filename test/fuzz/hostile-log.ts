/** Sessions as a writer may leave them who means no good: every text that a log can hold is one that a terminal would obey. */
import type { NewSessionEvent } from '../../src/sessions/event.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { header, messageId, sessionId } from '../sessions/samples.ts';

const hostile = `\u001b[2J\u001b]0;owned\u0007\r\n\u202eab\u2028c\ud800\0${'x'.repeat(2_000)}`;

/** `top` with children of every mode, `kid` among them; and `over`, which has nothing left to do, so that the reason of its end is shown. */
export async function writeHostileSessions(store: SessionStore): Promise<void> {
  const children = [
    child('kid', 'continuable'),
    child('gone', hostile),
    child(hostile, 'external'),
    child('../../etc', 'one-shot'),
  ];
  await store.create(header('top', { cwd: `/tmp/${hostile}`, project: `/tmp/${hostile}` }), 'o', [...log('top'), ...children]);
  const stopReason = hostile as never;
  await store.create(header('over'), 'o', [
    { type: 'turn/started', time: 1, data: { turnId: 't', epoch: 1 } },
    { type: 'turn/ended', time: 1, data: { turnId: 't', stopReason } },
    { type: 'activation/ended', time: 1, data: { runId: 'r', epoch: 1, stopReason } },
  ]);
  const below = { delegationDepth: 1, parentSession: sessionId('top'), origin: 'subagent', cwd: hostile } as const;
  const described = {
    version: 1,
    provider: hostile,
    mode: 'continuable',
    label: hostile,
    agentOptions: { model: hostile },
  } as const;
  await store.create(header('kid', below), 'o', [{ type: 'subagent/descriptor', time: 1, data: described }, ...log('kid')]);
}

function log(id: string): NewSessionEvent[] {
  const results = [result(hostile, hostile), result('c2', { [hostile]: [hostile] })];
  return [
    inserted(`Paths: ["a"]\nQuestion: ${JSON.stringify(hostile)}\nAnswer with: report\n${hostile}`, id),
    { type: 'turn/started', time: 1, data: { turnId: 't', epoch: 1 } },
    assistant([{ type: 'text', text: hostile }, { type: 'reasoning', text: hostile }, call(hostile), call('c2')]),
    { type: 'tool/results', time: 1, data: { turnId: 't', content: results } },
    assistant([{ type: 'text', text: hostile }]),
    { type: 'turn/ended', time: 1, data: { turnId: 't', stopReason: hostile as never, diagnostic: hostile } },
  ];
}

function child(id: string, mode: string): NewSessionEvent {
  return { type: 'subagent/child', time: 1, data: { id, mode: mode as never, label: hostile, createdAt: 1 } };
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
