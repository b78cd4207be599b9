/** Structured results. */
import { SubagentError } from '../../../errors.ts';
import { holds, same } from '../expect.ts';
import { type DriverCase, endsAs, staysSilent } from './bench.ts';
import { play, submit, textShown } from './script.ts';

const outputSchema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] } as const;

export const structuredCases: readonly DriverCase[] = [
  {
    name: 'a result that the model hands in goes to submitResult once, as it is, and ends the turn as completed (S5.3)',
    needs: ['submit'],
    async run({ drive, time }) {
      const driven = await drive(play(submit({ answer: 42 })), { outputSchema });
      endsAs('completed', await driven.outcome('a turn with a result comes to its end'), driven, 'a turn with a result');
      same(driven.turn.submitted, [{ answer: 42 }], 'the value is handed in once, as the model gave it (P26)');
      await staysSilent(time, driven);
    },
  },
  {
    name: 'a result that is refused is shown to the model with the reason, and the model can hand in another (S5.3)',
    needs: ['submit'],
    async run({ drive }) {
      const script = play(submit({ answer: 'forty-two' }), submit({ answer: 42 }));
      const driven = await drive(script, {
        outputSchema,
        onSubmit(value) {
          if (typeof (value as { readonly answer?: unknown }).answer === 'number') return;
          throw new SubagentError('INVALID_ARGUMENT', '/answer must be number');
        },
      });
      endsAs('completed', await driven.outcome('the turn comes to its end'), driven, 'a result that was corrected');
      same(driven.turn.submitted, [{ answer: 42 }], 'the corrected value is handed in (P26)');
      holds(textShown(script.calls[1]).includes('/answer must be number'), 'the model is shown why its result was refused');
    },
  },
];
