/** Messages that come while a turn runs. */
import { toSessionId } from '../../../sessions/ids.ts';
import { holds, same } from '../expect.ts';
import { type DriverCase, endsAs, toolOf } from './bench.ts';
import { inOrder } from './history.ts';
import { call, play, say, textShown } from './script.ts';

const parent = { kind: 'agent-message', form: 'relay', senderSessionId: toSessionId('parent-1') } as const;

export const steeringCases: readonly DriverCase[] = [
  {
    name: 'what comes while a tool runs is shown in the next model call, behind the result, once, with its sender (S3.2, S3.4, P14)',
    needs: ['say', 'call'],
    async run({ drive }) {
      const look = toolOf('look', () => {
        driven.turn.steer('hurry-up', parent);
        driven.turn.steer('and-be-quiet', parent);
        return 'seen-by-look';
      });
      const script = play(call('look'), call('look'), say('done'));
      const driven = await drive(script, { tools: [look] });
      endsAs('completed', await driven.outcome('a turn that is steered comes to its end'), driven, 'a turn that is steered');
      const shown = (script.calls[1] ?? []).filter(({ role }) => role !== 'system');
      inOrder(shown, ['seen-by-look', 'hurry-up', 'and-be-quiet']);
      holds(
        textShown(shown).includes('Agent parent-1 sent a message:'),
        'steering is shown with its sender, as toUserEntry gives it (S3.4)',
      );
    },
  },
  {
    name: 'what comes while the model gives its last answer is shown in one more call before the turn ends (S3.2)',
    needs: ['say'],
    async run({ drive }) {
      const script = play(() => {
        driven.turn.steer('one-more-thing', parent);
        return say('first answer');
      }, say('second answer'));
      const driven = await drive(script);
      endsAs('completed', await driven.outcome('the turn comes to its end'), driven, 'a turn that is steered at its end');
      same(script.calls.length, 2, 'steering is taken once more before the turn ends');
      inOrder(script.calls[1] ?? [], ['first answer', 'one-more-thing']);
      same(driven.turn.said, 'first answersecond answer', 'both answers are recorded');
    },
  },
];
