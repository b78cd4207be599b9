/** The signal of a turn, at each moment. */
import { holds, same } from '../expect.ts';
import { type DriverCase, describe, endsAs, soonMs, start, staysSilent, toolOf } from './bench.ts';
import { handTurn } from './hand-turn.ts';
import { call, hang, play, say } from './script.ts';

export const abortCases: readonly DriverCase[] = [
  {
    name: 'an abort before the turn begins ends it as aborted, and nothing is asked of the model (S4.1)',
    needs: ['say'],
    async run({ driverFor, time, options }) {
      const script = play(say('too late'));
      const turn = handTurn({ options });
      turn.interrupt();
      const driven = start(time, await driverFor(script), turn);
      const outcome = await driven.outcome('a turn that was aborted settles soon (I3)', soonMs);
      endsAs('aborted', outcome, driven, 'an abort before the turn');
      same(script.calls.length, 0, 'an aborted turn calls no model');
      same(turn.effects, [], 'an aborted turn that never began records and streams nothing');
      await staysSilent(time, driven);
    },
  },
  {
    name: 'an abort during a model call ends the turn as aborted, soon, and nothing is recorded afterwards (S4.1, I3)',
    needs: ['hang'],
    async run({ drive, time }) {
      const script = play(hang('half an answer'));
      const driven = await drive(script);
      await time.until(() => script.calls.length === 1, 'the model is called');
      await time.rest();
      driven.turn.interrupt();
      const outcome = await driven.outcome('a turn that was aborted during a model call settles soon (I3)', soonMs);
      endsAs('aborted', outcome, driven, 'an abort during a model call');
      same(script.calls.length, 1, 'an aborted turn calls no model again');
      await staysSilent(time, driven);
    },
  },
  {
    name: 'an abort while the answer that calls tools is recorded starts no tool (S4.1)',
    needs: ['say', 'call'],
    async run({ drive, time }) {
      let runs = 0;
      const pay = toolOf('pay', () => ++runs);
      const script = play(call('pay'), say('paid'));
      const driven = await drive(script, { tools: [pay], onRecord: (_, turn) => turn.interrupt() });
      const outcome = await driven.outcome('a turn that was aborted while it recorded settles soon (I3)', soonMs);
      endsAs('aborted', outcome, driven, 'an abort while an answer is recorded');
      same(runs, 0, 'after an abort no tool is started');
      same(script.calls.length, 1, 'an aborted turn calls no model again');
      await staysSilent(time, driven);
    },
  },
  {
    name: 'an abort during a tool that does not hear it ends the turn as aborted, soon, with at most one result for a call (S4.1, P18)',
    needs: ['say', 'call'],
    async run({ drive, time }) {
      const ends = Promise.withResolvers<string>();
      let runs = 0;
      const deaf = toolOf('deaf', () => {
        runs++;
        return ends.promise;
      });
      const script = play(call('quick', 'deaf'), say('done'));
      const driven = await drive(script, { tools: [toolOf('quick', () => 'at once'), deaf] });
      await time.until(() => runs === 1, 'the tool is started');
      await time.rest();
      driven.turn.interrupt();
      const outcome = await driven.outcome('a turn that was aborted during a tool call settles soon (I3)', soonMs);
      endsAs('aborted', outcome, driven, 'an abort during a tool call');
      same(script.calls.length, 1, 'an aborted turn calls no model again');
      await staysSilent(time, driven, () => ends.resolve('at last'));
    },
  },
  {
    name: 'an abort during a tool that hears it ends the turn as aborted, whatever the tool makes of it (S4.1)',
    needs: ['say', 'call'],
    async run({ drive, time }) {
      let runs = 0;
      const heeds = toolOf('heeds', (_, { signal }) => {
        runs++;
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut off'))));
      });
      const driven = await drive(play(call('heeds'), say('done')), { tools: [heeds] });
      await time.until(() => runs === 1, 'the tool is started');
      driven.turn.interrupt();
      const outcome = await driven.outcome('a turn that was aborted during a tool call settles soon (I3)', soonMs);
      endsAs('aborted', outcome, driven, 'an abort during a tool call');
      await staysSilent(time, driven);
    },
  },
  {
    name: 'an abort after the last answer ends the turn as completed or aborted, soon, and changes nothing of the answer (P05)',
    needs: ['say'],
    async run({ drive, time }) {
      const script = play(say('the answer'));
      const driven = await drive(script, { onSteering: (turn) => turn.interrupt() });
      const outcome = await driven.outcome('a turn that was aborted after its last step settles soon (I3)', soonMs);
      const isHonest = 'end' in outcome && ['completed', 'aborted'].includes(outcome.end.stopReason);
      holds(isHonest, `an abort after the last answer: completed or aborted; it ${describe(outcome)}`);
      same(driven.turn.said, 'the answer', 'the answer stays as it was');
      same(script.calls.length, 1, 'an aborted turn calls no model again');
      await staysSilent(time, driven);
    },
  },
  {
    name: 'an abort ends the turn soon also when the log takes nothing any more, and not as completed (I3)',
    needs: ['hang'],
    async run({ drive, time }) {
      const script = play(hang('half an answer'));
      const driven = await drive(script);
      await time.until(() => script.calls.length === 1, 'the model is called');
      await time.rest();
      driven.turn.revoke();
      driven.turn.interrupt();
      const outcome = await driven.outcome('a turn that was aborted settles soon (I3)', soonMs);
      holds(!('end' in outcome) || outcome.end.stopReason !== 'completed', 'a turn that was cut off has not completed');
      await staysSilent(time, driven);
    },
  },
];
