/** A session that was taken over while a turn runs. */
import { SubagentError } from '../../../errors.ts';
import { holds, same } from '../expect.ts';
import { type Driven, type DriverCase, describe, soonMs, staysSilent, toolOf } from './bench.ts';
import type { HandTurn } from './hand-turn.ts';
import { call, type PlayedScript, play, say } from './script.ts';

const stops = 'a turn that hears FENCED stops soon (S10.2)';

export const fenceCases: readonly DriverCase[] = [
  {
    name: 'a turn that hears FENCED from check calls no model (S2.2, S10.2)',
    needs: ['say'],
    async run({ drive }) {
      const script = play(say('not mine to say'));
      const driven = await drive(script, { onCheck: (turn) => turn.revoke() });
      await stopped(driven, script, 0);
      same(driven.turn.log, [], 'nothing is recorded');
    },
  },
  {
    name: 'a turn that hears FENCED when it records an answer runs no tool of it and calls no model again (S10.2)',
    needs: ['say', 'call'],
    async run({ drive, time }) {
      let runs = 0;
      const pay = toolOf('pay', () => ++runs);
      const script = play(call('pay'), say('paid'));
      const driven = await drive(script, { tools: [pay], onRecord: (_, turn) => turn.revoke() });
      await stopped(driven, script, 1);
      same(runs, 0, 'a tool whose call could not be recorded does not run (S10.2)');
      await staysSilent(time, driven);
    },
  },
  {
    name: 'a turn that hears FENCED when it records a result calls no model again (S10.2)',
    needs: ['say', 'call'],
    async run({ drive, time }) {
      const script = play(call('look'), say('seen'));
      const onRecord = ({ role }: { readonly role: string }, turn: HandTurn) => {
        if (role === 'tool') turn.revoke();
      };
      const driven = await drive(script, { tools: [toolOf('look', () => 'seen')], onRecord });
      await stopped(driven, script, 1);
      await staysSilent(time, driven);
    },
  },
  {
    name: 'a turn that hears FENCED when it takes its steering calls no model again (S10.2)',
    needs: ['say', 'call'],
    async run({ drive, time }) {
      const script = play(call('look'), say('seen'));
      const tools = [toolOf('look', () => 'seen')];
      const driven = await drive(script, { tools, onSteering: (turn) => turn.revoke() });
      await stopped(driven, script, 1);
      await staysSilent(time, driven);
    },
  },
  {
    name: 'a turn whose structured result is refused FENCED ends, and not as completed (S10.2)',
    needs: ['submit'],
    async run({ drive, time }) {
      const script = play({ kind: 'submit', value: { answer: 1 } });
      const driven = await drive(script, {
        outputSchema: { type: 'object' },
        onSubmit(_, turn) {
          turn.revoke();
          throw new SubagentError('FENCED', 'as the suite says');
        },
      });
      await stopped(driven, script, 1);
      await staysSilent(time, driven);
    },
  },
];

/** It may say so by rejecting, or end with a reason; the runtime knows already. */
async function stopped(driven: Driven, script: PlayedScript, calls: number): Promise<void> {
  const outcome = await driven.outcome(stops, soonMs);
  const isSwallowed = 'end' in outcome && outcome.end.stopReason === 'completed';
  holds(!isSwallowed, `a refusal of the log is never swallowed: the turn has not completed (I2); it ${describe(outcome)}`);
  same(script.calls.length, calls, 'a turn that hears FENCED calls no model any more (S10.2)');
}
