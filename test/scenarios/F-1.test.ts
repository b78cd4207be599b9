/** F-1: what a caller joined or reads by its handle is announced once at most. */
import { expect, test } from 'vitest';
import { textOf } from '../../src/sessions/content.ts';
import { does, says } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

test('each result comes once into the parent’s history, and no turn follows its final answer, whoever else looks on (F-1, P15)', async () => {
  const world = openWorld();
  const views: number[] = [];
  for (let view = 0; view < 2; view++)
    world.runtime.events$.subscribe(({ type }) => void (type === 'subagent/end' && views.push(view)));
  const seen: string[] = [];
  world.driver.script('one', [says('first result')]);
  world.driver.script('two', [says('second result')]);
  world.driver.script('root', [
    does(async (turn) => {
      const one = await world.start(turn.agent, { label: 'one', delivery: 'caller' });
      const two = await world.start(turn.agent, { label: 'two' });
      await turn.record({ role: 'assistant', content: [{ type: 'text', text: textOf((await one.result).output) }] });
      seen.push(textOf((await two.result).output), textOf((await two.result).output));
      await turn.takeSteering();
    }),
    says('final answer'),
  ]);
  const root = await world.openRoot({ label: 'root' });
  expect(textOf((await root.ask('begin')).output)).toBe('final answer');
  await world.advance(1_000_000);
  expect(world.driver.turnsOf('root')).toHaveLength(1);
  expect(seen).toEqual(['second result', 'second result']);
  const { transcript } = await world.runtime.readSession(root.id);
  const history = transcript.map(({ content }) => textOf(content as never)).join('\n');
  for (const words of ['first result', 'second result']) expect(history.split(words), words).toHaveLength(2);
  expect(views.sort()).toEqual([0, 0, 1, 1]);
});
