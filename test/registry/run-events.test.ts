import { expect, test } from 'vitest';
import type { SubagentEvent } from '../../src/registry/event-hub.ts';
import { delegateTool } from '../../src/tools/delegate.ts';
import { gate } from '../support/gate.ts';
import { unpaired } from '../support/run-pairs.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { callsTool, does, says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

test('a life is told as one start and one end with the same run id and the whole lineage (S5.5, P34)', async () => {
  const world = openWorld();
  world.driver.script('worker', [says('done')]);
  const root = await world.openRoot();
  const child = await world.start(root.agent);
  await child.result;
  await world.rest();
  const [start] = world.events.of('subagent/start');
  const [end] = world.events.of('subagent/end');
  const lineage = { provider: 'spawn', id: child.childId, local: true, parentId: root.id, label: 'worker', depth: 1 };
  expect(start).toEqual({ type: 'subagent/start', runId: expect.stringMatching(/^\w{26}$/), ...lineage });
  expect(end).toEqual({
    ...start,
    type: 'subagent/end',
    stopReason: 'completed',
    lastAssistantMessage: [{ type: 'text', text: 'done' }],
  });
});

test('each activation of a child has a run id of its own, and they share the child’s id (S5.5, P34)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  const child = await world.start(root.agent);
  await child.result;
  await world.runtime.sendMessage(root.agent, child.childId, [{ type: 'text', text: 'more' }]);
  await world.gone(child.childId);
  await world.rest();
  const starts = world.events.of('subagent/start');
  expect(new Set(starts.map(({ runId }) => runId)).size).toBe(2);
  expect(starts.map(({ id }) => id)).toEqual([child.childId, child.childId]);
  expect(world.events.of('subagent/end').map(({ runId }) => runId)).toEqual(starts.map(({ runId }) => runId));
  const ends = await world.logOf(child.childId, 'activation/ended');
  expect(ends.map(({ data }) => data.runId)).toEqual(starts.map(({ runId }) => runId));
});

test('the start is told before the child can run (S5.5)', async () => {
  const world = openWorld();
  const order: string[] = [];
  world.runtime.events$.subscribe(({ type }) => type === 'subagent/start' && order.push('start'));
  world.driver.script('worker', [does(() => void order.push('turn'))]);
  const remote = scriptedProvider();
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  await (await world.start(root.agent)).result;
  expect(order).toEqual(['start', 'turn']);
});

test('the end is told only when the outcome of the disposal is known, and tells its failure (S5.5, S2.6)', async () => {
  const world = openWorld();
  world.expectFaults('dispose');
  const place = gate();
  const remote = scriptedProvider();
  remote.plan({ disposeAt: place, disposeError: new Error('pid 4711 survived: CANARY') });
  world.runtime.registerProvider(remote);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { provider: 'remote' });
  remote.runs[0]?.settle({ output: [{ type: 'text', text: 'done' }] });
  await place.reached;
  expect(world.events.lives()).toEqual(['start worker']);
  place.open();
  expect((await child.result).stopReason).toBe('completed');
  const [end] = world.events.of('subagent/end');
  expect(end).toMatchObject({ stopReason: 'completed', error: expect.stringContaining('release failed') });
  expect(JSON.stringify(end)).not.toContain('CANARY');
  await expect(child.dispose()).rejects.toMatchObject({ code: 'ACTIVATION_TEARDOWN_FAILED' });
});

test('when the end is told, the record of it is in the log already (P27, L-3)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  const seen: unknown[] = [];
  world.runtime.events$.subscribe((event) => {
    if (event.type !== 'subagent/end') return;
    seen.push(world.log(event.id).then((log) => log.filter(({ type }) => type === 'activation/ended').map(({ data }) => data)));
  });
  const child = await world.start(root.agent);
  await child.result;
  await world.rest();
  expect(await Promise.all(seen)).toMatchObject([[{ stopReason: 'completed' }]]);
});

test('a start that fails before residency tells nothing (S5.5, P34)', async () => {
  const world = openWorld();
  const remote = scriptedProvider();
  remote.plan({ startError: new Error('no') });
  world.runtime.registerProvider(remote);
  world.driver.onValidate = (options) => {
    if (options.model === 'none') throw new Error('no such model');
  };
  const root = await world.openRoot();
  const cancelled = new AbortController();
  cancelled.abort();
  for (const setup of [
    { provider: 'remote' },
    { provider: 'nobody' },
    { agentOptions: { model: 'none' } },
    { signal: cancelled.signal },
    { maxDepth: 0 },
  ]) {
    await expect(world.start(root.agent, setup)).rejects.toThrow();
  }
  await world.rest();
  expect(world.events.lives()).toEqual([]);
});

test('a listener of one parent sees that parent’s delegations and nobody else’s, and hears when it leaves (S5.5)', async () => {
  const world = openWorld();
  world.driver.script('middle', [callsTool('delegate', { description: 'leaf', prompt: 'go', run_in_background: false })]);
  const tools = [delegateTool({ runtime: world.runtime, provider: 'spawn' })];
  const one = await world.openRoot({ composition: { ...world.composition, tools } });
  const other = await world.openRoot();
  const seen: string[] = [];
  let isOver = false;
  world.runtime.eventsOf(one.agent).subscribe({
    next: (event: SubagentEvent) => seen.push('label' in event ? `${event.type} ${event.label}` : event.type),
    complete: () => {
      isOver = true;
    },
  });
  const middle = await world.start(one.agent, { label: 'middle', delivery: 'caller' });
  const stranger = await world.start(other.agent, { label: 'stranger', delivery: 'caller' });
  await Promise.all([middle.result, stranger.result]);
  await world.rest();
  expect(world.events.lives()).toContain('end leaf completed');
  expect(seen).toEqual(['subagent/start middle', 'subagent/end middle']);
  expect(isOver).toBe(false);
  await one.close();
  expect(isOver).toBe(true);
});

test('a listener can be asked for by an exact live agent only (S5.5, P35)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  expect(() => world.runtime.eventsOf({ ...root.agent })).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  await root.close();
  expect(() => world.runtime.eventsOf(root.agent)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
});

test('top-level agents have no start and no end (S2.10, P34)', async () => {
  const world = openWorld();
  const root = await world.openRoot();
  await root.ask('hello');
  await root.close();
  const host = await world.attachRoot();
  await host.close();
  expect(world.events.lives()).toEqual([]);
});

test('siblings that run side by side each have their own pair (S5.5, P34)', async () => {
  const world = openWorld();
  const place = gate();
  world.driver.script('worker', ...Array.from({ length: 8 }, () => [waitsAt(place)]));
  const root = await world.openRoot();
  const children = await Promise.all(Array.from({ length: 8 }, () => world.start(root.agent, { delivery: 'caller' })));
  place.open();
  await Promise.all(children.map((child) => child.result));
  await world.rest();
  for (const { childId } of children) expect(world.events.lives(childId)).toEqual(['start worker', 'end worker completed']);
  expect(new Set(world.events.of('subagent/start').map(({ runId }) => runId)).size).toBe(8);
});

test('a listener may act on the runtime: start, drain, send and register from inside an event (S5.5, P31)', async () => {
  const world = openWorld();
  const { runtime } = world;
  const root = await world.openRoot();
  const acts: Promise<unknown>[] = [];
  let left = 5;
  runtime.events$.subscribe((event) => {
    if (event.type === 'subagent/provider-added' && event.provider === 'first')
      runtime.registerProvider(scriptedProvider({ name: 'second' }));
    if (event.type === 'subagent/start' && event.label === 'doomed') acts.push(runtime.drainChildren(root.agent, [event.id]));
    if (event.type !== 'subagent/end' || left-- <= 0) return;
    acts.push(
      world.start(root.agent, { label: left % 2 === 0 ? 'doomed' : 'next', delivery: 'caller' }).then(({ result }) => result),
    );
    acts.push(runtime.sendMessage(root.agent, event.id, [{ type: 'text', text: 'more' }]));
  });
  runtime.registerProvider(scriptedProvider({ name: 'first' }));
  expect(runtime.getProvider('second')).toBeDefined();
  await (await world.start(root.agent, { delivery: 'caller' })).result;
  await world.rest();
  for (let seen = -1; seen < acts.length; await world.rest()) {
    seen = acts.length;
    await Promise.all(acts);
  }
  await root.whenQuiet();
  expect(acts.length).toBeGreaterThan(10);
  expect(unpaired(world.events.all)).toEqual([]);
  expect(world.live).toBe(0);
});
