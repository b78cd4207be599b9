/** A turn without tools. */
import { holds, same } from '../expect.ts';
import { type DriverCase, endsAs, staysSilent } from './bench.ts';
import { play, say } from './script.ts';

export const stepCases: readonly DriverCase[] = [
  {
    name: 'a turn ends completed when the model has answered, and its answer is recorded as it was said (S5.2)',
    needs: ['say'],
    async run({ drive, time }) {
      const script = play(say('All is well.'));
      const driven = await drive(script);
      const outcome = await driven.outcome('a turn whose model answers comes to its end');
      const end = endsAs('completed', outcome, driven, 'an answer is a natural end');
      same(end.diagnostic, undefined, 'a completed turn has no diagnostic');
      const { turn } = driven;
      same(turn.said, 'All is well.', 'the answer is recorded, once and whole');
      holds(
        turn.log.every(({ role }) => role === 'assistant'),
        'an answer is recorded as an assistant entry',
      );
      same(script.calls.length, 1, 'the model is called once');
      await staysSilent(time, driven);
    },
  },
  {
    name: 'before each model call it asks whether the session is still its own (S2.2, S10.2)',
    needs: ['say', 'call'],
    async run({ drive }) {
      const asked: boolean[] = [];
      let traced = 0;
      const noting = (answer: ReturnType<typeof say>) => () => {
        const { trace } = driven.turn;
        asked.push(trace.slice(traced).includes('check'));
        traced = trace.length;
        return answer;
      };
      const script = play(noting({ kind: 'call', calls: [{ toolName: 'absent', input: {} }] }), noting(say('done')));
      const driven = await drive(script);
      await driven.outcome('the turn comes to its end');
      same(asked, [true, true], 'check() comes before every model call');
    },
  },
];
