/** Calls of tools. */
import type { ToolCallContext } from '../../../agents/tool.ts';
import { holds, same } from '../expect.ts';
import { type DriverCase, endsAs, toolOf } from './bench.ts';
import { call, play, say, textShown } from './script.ts';

export const toolCases: readonly DriverCase[] = [
  {
    name: 'a tool runs once, after the answer that calls it is recorded, and its result is recorded and shown to the model',
    needs: ['say', 'call'],
    async run({ drive }) {
      const seen: unknown[] = [];
      const look = toolOf('look', (input) => {
        seen.push(input);
        holds(
          driven.turn.trace.includes('record assistant'),
          'a tool runs only after the answer that calls it is recorded (S10.1)',
        );
        return 'seen-by-look';
      });
      const script = play(call(['look', { at: 'the door' }]), say('done'));
      const driven = await drive(script, { tools: [look] });
      endsAs('completed', await driven.outcome('a turn with a tool comes to its end'), driven, 'a turn with a tool');
      same(seen, [{ at: 'the door' }], 'a tool runs once, with the input that the model gave');
      const roles = driven.turn.log.map(({ role }) => role);
      same(roles, ['assistant', 'tool', 'assistant'], 'what is recorded is in the log in order: answer, result, answer');
      const results = driven.turn.results.map(({ toolName, output, isError = false }) => ({ toolName, output, isError }));
      same(
        results,
        [{ toolName: 'look', output: 'seen-by-look', isError: false }],
        'every tool call gets exactly one result (P18)',
      );
      holds(textShown(script.calls[1]).includes('seen-by-look'), 'the model is shown the result of its call');
    },
  },
  {
    name: 'each of several calls in one answer gets exactly one result before the model is called again (P18)',
    needs: ['say', 'call'],
    async run({ drive }) {
      const tools = ['first', 'second', 'third'].map((name) => toolOf(name, () => `result of ${name}`));
      const script = play(call('first', 'second', 'third'), (shown) => {
        same(driven.turn.results.length, 3, 'all calls of an answer are answered before the next model call (P18)');
        for (const { name } of tools) holds(textShown(shown).includes(`result of ${name}`), 'the model is shown every result');
        return say('done');
      });
      const driven = await drive(script, { tools });
      endsAs('completed', await driven.outcome('a turn with three calls comes to its end'), driven, 'a turn with three calls');
      same(
        driven.turn.results.map(({ toolName, output }) => [toolName, output]),
        tools.map(({ name }) => [name, `result of ${name}`]),
        'every tool call gets exactly one result, its own (P18)',
      );
    },
  },
  {
    name: 'a tool is given the exact agent, its call’s id, the signal of the turn, and a key that no other call has (S1.2, S10.1)',
    needs: ['say', 'call'],
    async run({ drive }) {
      const contexts: ToolCallContext[] = [];
      const look = toolOf('look', (_, context) => {
        contexts.push(context);
        return 'seen';
      });
      const driven = await drive(play(call('look', 'look'), call('look'), say('done')), { tools: [look] });
      endsAs('completed', await driven.outcome('the turn comes to its end'), driven, 'a turn with three calls');
      const { turn } = driven;
      const recorded = turn.results.map(({ callId }) => callId);
      same(
        contexts.map(({ callId }) => callId).sort(),
        recorded.toSorted(),
        'a tool is given the id under which its call is recorded',
      );
      const keys = contexts.map(({ idempotencyKey }) => idempotencyKey);
      same(new Set(keys).size, 3, `no two calls have one idempotency key: ${keys.join(', ')} (S10.1)`);
      holds(
        keys.every((key) => key.includes(turn.header.id)),
        'an idempotency key names the session (S10.1)',
      );
      for (const { agent, signal } of contexts) {
        holds(agent === turn.agent, 'a tool is given the exact live agent that calls');
        holds(!signal.aborted, 'the signal of a call has not fired while the turn runs');
      }
      turn.interrupt();
      holds(
        contexts.every(({ signal }) => signal.aborted),
        'the signal of a call fires with that of the turn',
      );
    },
  },
  {
    name: 'a tool that throws, whatever it throws, becomes an error result, and the turn goes on',
    needs: ['say', 'call'],
    async run({ drive }) {
      const tools = [
        toolOf('throws', () => {
          throw new Error('no such door');
        }),
        toolOf('rejects', () => Promise.reject(new Error('no such window'))),
        toolOf('oddly', () => Promise.reject('only words')),
      ];
      const script = play(call('throws', 'rejects', 'oddly'), say('I see'));
      const driven = await drive(script, { tools });
      endsAs('completed', await driven.outcome('a turn whose tools throw comes to its end'), driven, 'tool errors end no turn');
      same(
        driven.turn.results.map(({ isError }) => isError),
        [true, true, true],
        'what a tool throws becomes an error result',
      );
      const shown = textShown(script.calls[1]);
      holds(shown.includes('no such door') && shown.includes('no such window'), 'the model is shown the message of a tool error');
      same(driven.turn.said, 'I see', 'the turn goes on behind a tool error');
    },
  },
  {
    name: 'a call of a tool that there is not gets an error result, and the turn goes on',
    needs: ['say', 'call'],
    async run({ drive }) {
      const driven = await drive(play(call('absent'), say('my mistake')), { tools: [toolOf('look', () => 'seen')] });
      endsAs('completed', await driven.outcome('the turn comes to its end'), driven, 'an unknown tool ends no turn');
      same(
        driven.turn.results.map(({ toolName, isError }) => [toolName, isError]),
        [['absent', true]],
        'a call of an unknown tool gets exactly one result, an error (P18)',
      );
    },
  },
];
