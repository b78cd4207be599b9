/** Waits that come to an end: of an agent that is held, of a start that is given up, and of streams whose runtime is closed. */
import { expect, test } from 'vitest';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

test('ask and whenQuiet settle for an agent that was interrupted while mail waits for it (S4.1, S4.5)', async () => {
  const world = openWorld();
  world.driver.script('root', [waitsAt()]);
  const root = await world.openRoot();
  const asking = root.ask('one');
  await world.driver.turn('root');
  await root.prompt('two');
  root.interrupt();
  expect((await asking).stopReason).toBe('aborted');
  expect((await root.whenQuiet()).stopReason).toBe('aborted');
  expect((await root.ask('three')).stopReason).toBe('completed');
  expect(world.driver.turnsOf('root').map(({ prompts }) => prompts.at(-1))).toEqual(['one', 'two', 'three']);
});

test('a start that a drain gives up rejects with a code, also when its provider never answers (S1.6, S4.3)', async () => {
  const world = openWorld({ limits: { drainMs: 50 } });
  world.tolerateFaults('provider', 'dispose');
  const place = gate();
  const remote = scriptedProvider();
  remote.plan({ startAt: place, ignoresSignal: true });
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const starting = codeOf(world.start(root.agent, { provider: 'remote' }));
  await place.reached;
  const draining = codeOf(world.runtime.drainDescendants([root.agent]));
  await world.advance(50);
  expect(await starting).toBe('DRAINING');
  expect(await draining).toBe('ACTIVATION_TEARDOWN_FAILED');
  place.open();
  await world.rest();
});

test('the streams of a closed runtime are over: events$, events(), catalogOf and what was subscribed before', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  const over: string[] = [];
  const note = (name: string) => ({ complete: () => void over.push(name), error: () => void over.push(`${name} failed`) });
  world.runtime.events$.subscribe(note('events before'));
  world.runtime.catalogOf(root.id).subscribe(note('catalog before'));
  await world.rest();
  await world.close();
  world.runtime.events$.subscribe(note('events after'));
  world.runtime.catalogOf(root.id).subscribe(note('catalog after'));
  await world.rest();
  expect(over.toSorted()).toEqual(['catalog after', 'catalog before', 'events after', 'events before']);
  expect(await world.runtime.events().next()).toEqual({ done: true, value: undefined });
});
