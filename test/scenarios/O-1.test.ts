/** O-1: listeners, callbacks and sinks of the host that fail. The run is unchanged, peers hear all, and each fault is told once. */
import { concatMap, filter } from 'rxjs';
import { expect, test } from 'vitest';
import type { AgentTool } from '../../src/agents/tool.ts';
import { textOf } from '../../src/sessions/content.ts';
import { does, says, streams } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const boom = (): never => {
  throw new Error('boom');
};
const boomLater = (): Promise<never> => Promise.reject(new Error('boom'));

/** One life with everything in it, below a root on the driver; what it amounted to, ids left out. */
async function lifeOf(world: World, listen: (world: World, rootId: string) => unknown, isAvailable = () => true) {
  const offered: AgentTool[] = [];
  const tool: AgentTool = {
    name: 'look',
    description: 'looks',
    inputSchema: { type: 'object' },
    isAvailable,
    execute: () => 'seen',
  };
  world.driver.script('worker', [streams('thin', 'king'), does(({ tools }) => void offered.push(...tools)), says('done')]);
  const root = await world.openRoot({ composition: { driver: world.driver, tools: [tool] } });
  const peers: string[] = [];
  world.runtime.events$.subscribe(({ type }) => peers.push(type));
  listen(world, root.id);
  world.runtime.events$.subscribe(({ type }) => peers.push(type));
  const child = await world.start(root.agent);
  const result = await child.result;
  await root.whenQuiet();
  await world.rest();
  const parentLog = (await world.log(root.id)).map(({ type }) => type);
  return {
    result,
    offered: offered.length,
    peers,
    lives: world.events.lives(),
    childLog: await world.typesOf(child.childId),
    parentLog,
  };
}

type Listener = (world: World, rootId: string) => unknown;
const progress = (world: World) => world.runtime.events$.pipe(filter(({ type }) => type === 'agent/progress'));
const ends = (world: World) => world.runtime.events$.pipe(filter(({ type }) => type === 'subagent/end'));

test.each<readonly [string, Listener, number]>([
  ['an event listener that throws', (world) => ends(world).subscribe(boom), 1],
  ['an event listener that rejects', (world) => ends(world).subscribe(boomLater), 1],
  ['a progress listener that throws', (world) => progress(world).subscribe(boom), 2],
  ['a progress listener that rejects', (world) => progress(world).subscribe(boomLater), 2],
  ['an operator that throws', (world) => ends(world).pipe(concatMap(boom)).subscribe(), 1],
  ['an operator that rejects', (world) => ends(world).pipe(concatMap(boomLater)).subscribe(), 1],
  ['a listener of one parent', (world, id) => world.runtime.eventsOf(world.resident(id).agent).subscribe(boom), 2],
  ['a listener of a catalog', (world, id) => world.runtime.catalogOf(id).subscribe(boom), 2],
  ['a completion that throws', (world) => world.runtime.events$.subscribe({ complete: boom }), 0],
])('%s changes nothing of the run, and each of its faults is reported once (O-1, P31)', async (_, listen, faults) => {
  const quiet = await lifeOf(openWorld(), () => undefined);
  const world = openWorld();
  world.expectFaults('listener');
  const loud = await lifeOf(world, listen);
  expect(loud).toEqual(quiet);
  expect(world.faults.map(({ where, error }) => `${where}: ${String(error)}`)).toEqual(
    Array(faults).fill('listener: Error: boom'),
  );
});

test.each([
  ['throws', boom],
  ['rejects', boomLater],
])('a notice sink that %s is reported once; the outcome stands and the notice stays owed (O-1, P31, P01)', async (_, deliver) => {
  const world = openWorld();
  world.expectFaults('notice');
  const host = await world.attachRoot({ deliver });
  const child = await world.start(host.agent);
  expect((await child.result).stopReason).toBe('completed');
  await child.dispose();
  await world.rest();
  expect(world.faults.map(({ where }) => where)).toEqual(['notice']);
  expect(world.events.lives()).toEqual(['start worker', 'end worker completed']);
  expect(await world.store.inner.pending()).toMatchObject([
    { header: { id: child.childId }, pending: { hasUndeliveredNotice: true } },
  ]);
});

test('a notice that a sink refused comes when the child is continued, under the same key and once (O-1, P15)', async () => {
  const world = openWorld();
  world.expectFaults('notice');
  const told: string[] = [];
  let isFailing = true;
  const host = await world.attachRoot({
    deliver: ({ messageId, content }) => {
      if (isFailing) boom();
      told.push(`${messageId}: ${textOf(content)}`);
    },
  });
  const child = await world.start(host.agent);
  await child.result;
  isFailing = false;
  world.driver.script('worker', [says('again')]);
  await world.runtime.sendMessage(host.agent, child.childId, [{ type: 'text', text: 'more' }]);
  await world.gone(child.childId);
  expect(told).toEqual([`${child.childId}:1: Final text:\nok`, `${child.childId}:2: Final text:\nagain`]);
});

test('a tool whose availability cannot be told is not offered, and the turn goes on (O-1, P31)', async () => {
  const world = openWorld();
  world.expectFaults('tool');
  const { result, offered } = await lifeOf(world, () => undefined, boom);
  expect(result).toMatchObject({ output: [{ text: 'done' }], stopReason: 'completed' });
  expect(offered).toBe(0);
});

test('a directory that cannot be told refuses the start, and the parent goes on (O-1, S1.10)', async () => {
  const world = openWorld();
  let isFailing = false;
  const root = await world.openRoot({ cwd: () => (isFailing ? boom() : '/project') });
  isFailing = true;
  await expect(world.start(root.agent)).rejects.toMatchObject({ name: 'SubagentError', code: 'PROVIDER_FAILED' });
  isFailing = false;
  expect((await (await world.start(root.agent)).result).stopReason).toBe('completed');
  expect(world.live).toBe(0);
});
