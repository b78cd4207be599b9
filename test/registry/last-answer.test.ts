/** A top-level agent that has answered keeps its answer, in its log and when it is reopened (S2.2, S5.1). */
import { expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { ends, says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';
import { afterCrash } from './after-crash.ts';

const id = toSessionId('the-agent');
const answer = { output: [{ type: 'text', text: 'the answer' }], stopReason: 'completed' };

test('closing an idle agent does not turn its completed answer into an aborted one, however often it is reopened (S2.2)', async () => {
  const world = openWorld();
  world.driver.script('root', [says('the answer')]);
  const root = await world.openRoot({ id });
  await root.ask('what is it?');
  await root.close();
  expect(await root.whenQuiet()).toMatchObject(answer);
  await (await world.openRoot({ id })).close();
  const ended = await world.logOf(id, 'activation/ended');
  expect(ended.map(({ data }) => data.stopReason)).toEqual(['completed', 'completed']);
});

test('whenQuiet of a reopened idle agent gives its last words and how its last turn ended (S5.1)', async () => {
  const world = openWorld();
  world.driver.script('root', [says('the answer')], [ends('error', 'the model is gone')]);
  const root = await world.openRoot({ id });
  await root.ask('what is it?');
  await root.close();
  const reopened = await world.openRoot({ id });
  expect(await reopened.whenQuiet()).toEqual(answer);
  expect(await reopened.ask('and now?')).toMatchObject({ output: [], stopReason: 'error', diagnostic: 'the model is gone' });
  await reopened.close();
  expect(await (await world.openRoot({ id })).whenQuiet()).toMatchObject({
    stopReason: 'error',
    diagnostic: 'the model is gone',
  });
});

test('an agent that was closed in its turn, or never had one, ended as aborted (S2.5)', async () => {
  const world = openWorld();
  world.driver.script('root', [waitsAt()]);
  await (await world.openRoot({ id })).close();
  const root = await world.openRoot({ id });
  expect(await root.whenQuiet()).toEqual({ output: [], stopReason: 'aborted' });
  await root.prompt('go');
  await world.driver.turn('root');
  await root.close();
  const ended = await world.logOf(id, 'activation/ended');
  expect(ended.map(({ data }) => data.stopReason)).toEqual(['aborted', 'aborted']);
});

test('a closed agent refuses with a code that asks for no other try: closed, closing, taken over, or of a closed runtime', async () => {
  const world = openWorld();
  world.tolerateFaults('flush', 'turn', 'notice', 'hand back');
  const root = await world.openRoot({ id });
  const closing = root.close();
  expect(await codeOf(root.prompt('while it closes'))).toBe('PARENT_UNAVAILABLE');
  await closing;
  expect(await codeOf(root.prompt('later'))).toBe('PARENT_UNAVAILABLE');
  expect(await codeOf(root.ask('later'))).toBe('PARENT_UNAVAILABLE');
  const second = await world.openRoot({ id });
  const head = await world.store.inner.head(id);
  await world.store.inner.handBack(id, head?.epoch ?? 0);
  await world.store.inner.claim(id, 'another-owner');
  expect(await codeOf(second.prompt('too late'))).toBe('FENCED');
  await world.gone(id);
  expect(await codeOf(second.prompt('later still'))).toBe('FENCED');
  await world.close();
  expect(await codeOf(root.prompt('at last'))).toBe('RUNTIME_CLOSED');
});

test('after a crash in its turn, what it had said before is its last word until it speaks again (S5.1)', async () => {
  const before = openWorld();
  before.driver.script('root', [says('the answer')], [waitsAt()]);
  const root = await before.openRoot({ id });
  await root.ask('what is it?');
  await root.prompt('and?');
  await before.driver.turn('root', 2);
  const world = afterCrash(before);
  world.driver.script('root', [says('after all')]);
  const reopened = await world.openRoot({ id });
  expect(await reopened.whenQuiet()).toMatchObject({ output: [{ text: 'after all' }], stopReason: 'completed' });
});
