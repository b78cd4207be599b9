/** What the model is shown. */
import type { TranscriptEntry } from '../../../sessions/content.ts';
import { holds, same } from '../expect.ts';
import { type DriverCase, endsAs, toolOf } from './bench.ts';
import { call, play, type ShownMessage, say } from './script.ts';

const person = (text: string): TranscriptEntry => ({ role: 'user', content: [{ type: 'text', text }] });
const model = (text: string): TranscriptEntry => ({ role: 'assistant', content: [{ type: 'text', text }] });
const earlier: readonly TranscriptEntry[] = [
  person('first-question'),
  { role: 'assistant', content: [{ type: 'tool-call', callId: 'old-1', toolName: 'look', input: { at: 'the shed' } }] },
  { role: 'tool', content: [{ type: 'tool-result', callId: 'old-1', toolName: 'look', output: 'an-old-result' }] },
  model('first-answer'),
  person('second-question'),
];

export const historyCases: readonly DriverCase[] = [
  {
    name: 'the model is shown the whole history in order, each entry once, and the instructions (P14, P19)',
    needs: ['say'],
    async run({ drive }) {
      const script = play(say('second-answer'));
      const driven = await drive(script, { history: earlier, instructions: 'be-brief' });
      endsAs('completed', await driven.outcome('the turn comes to its end'), driven, 'a turn with a history');
      const shown = script.calls[0] ?? [];
      inOrder(shown, ['first-question', 'an-old-result', 'first-answer', 'second-question']);
      holds(
        shown.some(({ text }) => text.includes('be-brief')),
        'the model is shown the instructions',
      );
      same(driven.turn.said, 'second-answer', 'a turn records what is new and nothing of the history');
    },
  },
  {
    name: 'the next model call of a turn is shown the one before, with its results (P18)',
    needs: ['say', 'call'],
    async run({ drive }) {
      let calls = 0;
      const look = toolOf('look', () => `result-${++calls}`);
      const script = play(call('look'), call('look'), say('done'));
      const driven = await drive(script, { history: [person('the-question')], tools: [look] });
      endsAs('completed', await driven.outcome('the turn comes to its end'), driven, 'a turn of three steps');
      same(script.calls.length, 3, 'the model is called once for each step');
      inOrder(script.calls[1] ?? [], ['the-question', 'result-1']);
      inOrder(script.calls[2] ?? [], ['the-question', 'result-1', 'result-2']);
    },
  },
];

/** Each text in one message, once, in this order. */
export function inOrder(shown: readonly ShownMessage[], texts: readonly string[]): void {
  const places = texts.map((text) => shown.flatMap((message, index) => (message.text.includes(text) ? [index] : [])));
  for (const [index, found] of places.entries())
    same(found.length, 1, `the model is shown "${texts[index]}" in one message, once`);
  const order = places.map(([place]) => place ?? -1);
  same(
    order,
    order.toSorted((one, other) => one - other),
    `the model is shown in order: ${texts.join(', ')}`,
  );
}
