/** Abort listeners are other people's code and call straight back: they run behind the transition that stops (S4.1, S4.3). */
import { expect, test } from 'vitest';
import type { TurnEnd } from '../../src/agents/driver.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { delegateTool } from '../../src/tools/delegate.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { callsTool, does, ignoresStopAt, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

test('what a listener starts under an agent that is being stopped is refused, and nothing of it is left (S4.3)', async () => {
  const world = openWorld();
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote);
  const starts: Promise<string>[] = [];
  world.driver.script('parent', [
    does((turn) => {
      turn.signal.addEventListener('abort', () => starts.push(codeOf(world.start(turn.agent, { provider: 'remote' }))));
    }),
    waitsAt(),
  ]);
  const root = await world.openRoot();
  const parent = await world.start(root.agent, { label: 'parent' });
  await world.driver.turn('parent');
  await world.rest();
  await parent.dispose();
  expect(await Promise.all(starts)).toEqual(['DRAINING']);
  await world.rest();
  expect({ live: world.live, requests: remote.requests.length }).toEqual({ live: 0, requests: 0 });
});

test('an interrupt at the top of a foreground chain of 300 levels stops them all, and faults nobody (S4.1)', async () => {
  const depthMax = 300;
  const world = openWorld({ limits: { depthMax: depthMax + 5 }, capacity: { perRoot: depthMax + 5, inAll: depthMax + 5 } });
  const tool = delegateTool({ runtime: world.runtime, provider: 'spawn', background: false });
  const bottom = gate();
  world.driver.otherwise(
    does(async (turn, record) => {
      if (turn.agent.depth === depthMax) return (await waitsAt(bottom)(turn, record)) as TurnEnd;
      await callsTool('delegate', { description: 'level', prompt: 'go down' })(turn, record);
      return { stopReason: turn.signal.aborted ? 'aborted' : 'completed' };
    }),
  );
  const root = await world.openRoot({ composition: { driver: world.driver, tools: [tool] } });
  const answer = root.ask('go');
  await bottom.reached;
  root.interrupt();
  expect((await answer).stopReason).toBe('aborted');
  await world.rest();
  expect({ live: world.live, faults: world.faults }).toEqual({ live: 0, faults: [] });
}, 20_000);

test('signals have fired when interrupt and a drain return (S4.1, S4.3)', async () => {
  const world = openWorld();
  world.driver.otherwise(waitsAt());
  const root = await world.openRoot();
  await root.prompt('go');
  await world.start(root.agent, { label: 'child', childId: toSessionId('child-1') });
  const [own, below] = await Promise.all([world.driver.turn('root'), world.driver.turn('child')]);
  root.interrupt();
  expect(own.turn.signal.aborted).toBe(true);
  expect(below.turn.signal.aborted).toBe(false);
  const draining = world.runtime.drainDescendants([root.agent]);
  expect(below.turn.signal.aborted).toBe(true);
  await draining;
});

test('a turn that is stopped while it waits for notices claims nothing more: what comes then opens the next (S4.1, S3.8)', async () => {
  const world = openWorld();
  const releasing = gate();
  world.driver.onRelease = (agent) => (agent.label === 'slow' ? releasing.pass() : undefined);
  world.driver.script('talker', [waitsAt()]);
  const root = await world.openRoot();
  const talker = toSessionId('talker-1');
  await world.start(root.agent, { label: 'slow' });
  await world.start(root.agent, { label: 'talker', childId: talker });
  await releasing.reached;
  await world.start(root.agent, { label: 'quick' });
  await world.rest(); // the root has been told of the quick one, and waits for the slow one that is on its way out
  expect(world.driver.turnsOf('root')).toEqual([]);
  const sending = world.runtime.sendMessage(world.resident(talker).agent, root.id, [{ type: 'text', text: 'urgent' }]);
  root.interrupt();
  await sending;
  releasing.open();
  await world.rest();
  const heard = world.driver.turnsOf('root').map(({ input }) => input.map(({ source }) => source.kind));
  expect(heard.flat()).toContain('agent-message');
});

test('a child that was given up with mail left comes back when a place is free, though others take places meanwhile (S4.1)', async () => {
  const world = openWorld({ capacity: { perRoot: 1 }, limits: { turnStopMs: 50 } });
  const busy = gate();
  world.driver.script('stubborn', [ignoresStopAt()], [does(() => undefined)]);
  world.driver.script('next', [waitsAt(busy)]);
  const root = await world.openRoot();
  const child = toSessionId('child-1');
  await world.start(root.agent, { label: 'stubborn', childId: child });
  await world.driver.turn('stubborn');
  // a host with a queue of work: a place that becomes free is taken at once
  world.runtime.events$.subscribe((event) => {
    if (event.type !== 'subagent/end' || event.label !== 'stubborn' || world.driver.turnsOf('next').length > 0) return;
    world.start(root.agent, { label: 'next', delivery: 'caller' }).catch(() => undefined);
  });
  world.runtime.interrupt(child, { kind: 'ancestor', agent: root.agent });
  await world.runtime.sendMessage(root.agent, child, [{ type: 'text', text: 'please go on' }]);
  await world.advance(50);
  await world.driver.turn('next');
  expect(world.driver.turnsOf('stubborn')).toHaveLength(1);
  busy.open();
  const { prompts } = await world.driver.turn('stubborn', 2);
  expect(prompts.at(-1)).toContain('please go on');
});
