/** One driver, many agents. */
import type { Agent } from '../../../agents/agent.ts';
import type { TranscriptEntry } from '../../../sessions/content.ts';
import { toSessionId } from '../../../sessions/ids.ts';
import { answerOf, holds, same } from '../expect.ts';
import { type DriverCase, endsAs, soonMs, start, staysSilent } from './bench.ts';
import { handTurn } from './hand-turn.ts';
import { hang, type ModelAnswer, type ShownMessage, say, textShown } from './script.ts';

const agentOf = (name: string): Agent => ({ id: toSessionId(`child-${name}`), depth: 1, cwd: '/project', label: name });
const asked = (text: string): readonly TranscriptEntry[] => [{ role: 'user', content: [{ type: 'text', text }] }];

export const agentCases: readonly DriverCase[] = [
  {
    name: 'turns of different agents run side by side and know nothing of each other: one is aborted, the other completes (R12)',
    needs: ['say', 'hang'],
    async run({ driverFor, time, options }) {
      const shown: (readonly ShownMessage[])[] = [];
      const answer = (messages: readonly ShownMessage[]): ModelAnswer => {
        shown.push(messages);
        return textShown(messages).includes('task-of-two') ? say('two is done') : hang('half');
      };
      const driver = await driverFor({ answer });
      const one = start(time, driver, handTurn({ options, agent: agentOf('one'), history: asked('task-of-one') }));
      await time.until(() => shown.length === 1, 'the first model is called');
      const two = start(time, driver, handTurn({ options, agent: agentOf('two'), history: asked('task-of-two') }));
      endsAs('completed', await two.outcome('the second turn ends while the first waits'), two, 'a turn beside another');
      same(two.turn.said, 'two is done', 'each turn records its own answer');
      holds(!textShown(shown[1]).includes('task-of-one'), 'a model is shown nothing of another agent');
      one.turn.interrupt();
      endsAs('aborted', await one.outcome('the first turn settles soon (I3)', soonMs), one, 'a turn that was aborted');
      await staysSilent(time, one);
      await staysSilent(time, two);
    },
  },
  {
    name: 'validate accepts the options of the turns, again and again, and asks nothing of a model',
    async run({ driverFor, time, options }) {
      let calls = 0;
      const driver = await driverFor({
        answer() {
          calls++;
          return say('');
        },
      });
      for (let again = 0; again < 2; again++) {
        const validated = (async () => driver.validate?.(options))();
        same(await time.settled(answerOf(validated), 'validate answers'), 'resolved', 'validate accepts what turns run with');
      }
      same(calls, 0, 'validate asks nothing of a model');
    },
  },
  {
    name: 'validate throws or rejects for options that no turn could run with, and the driver goes on',
    needs: ['say'],
    isFor: ({ refusedOptions }) => refusedOptions !== undefined,
    async run({ driverFor, time, options, subject: { refusedOptions } }) {
      const driver = await driverFor({ answer: () => say('fine') });
      const refused = (async () => driver.validate?.({ ...options, ...refusedOptions }))();
      const said = await time.settled(answerOf(refused), 'validate answers');
      holds(said !== 'resolved', 'validate refuses options that no turn could run with');
      const driven = start(time, driver, handTurn({ options }));
      endsAs('completed', await driven.outcome('the turn comes to its end'), driven, 'a turn after a refusal');
    },
  },
  {
    name: 'release of one agent settles soon and leaves the turns of others alone; of an agent that had no turn too',
    needs: ['say', 'hang'],
    async run({ driverFor, time, options }) {
      let calls = 0;
      const answer = (messages: readonly ShownMessage[]) => {
        calls++;
        return textShown(messages).includes('task-of-two') ? say('two is done') : hang();
      };
      const driver = await driverFor({ answer });
      const one = start(time, driver, handTurn({ options, agent: agentOf('one'), history: asked('task-of-one') }));
      await time.until(() => calls === 1, 'the first model is called');
      const two = start(time, driver, handTurn({ options, agent: agentOf('two'), history: asked('task-of-two') }));
      endsAs('completed', await two.outcome('the second turn ends'), two, 'a turn beside another');
      const before = one.turn.effects.length;
      for (const agent of [two.turn.agent, agentOf('three')]) {
        const released = (async () => driver.release?.(agent))();
        same(
          await time.settled(answerOf(released), 'release settles soon', soonMs),
          'resolved',
          'release gives back and does not fail',
        );
      }
      await time.pass();
      same([one.isOver(), one.turn.effects.length], [false, before], 'release of one agent leaves the turn of another alone');
      one.turn.interrupt();
      endsAs('aborted', await one.outcome('the first turn settles soon (I3)', soonMs), one, 'a turn that was aborted');
    },
  },
];
