/** O-3: a backend that talks after its end. Nothing is thrown into the host, nothing changes and nothing is written. */
import { expect, test } from 'vitest';
import type { Turn } from '../../src/agents/driver.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { afterEndAt, ignoresStopAt, says } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const text = (words: string) => [{ type: 'text', text: words }] as const;

const deeds: readonly (readonly [string, (turn: Turn) => Promise<unknown> | unknown, 'refused' | 'ignored'])[] = [
  ['streams text', (turn) => turn.stream({ type: 'text', text: 'late' }), 'ignored'],
  ['records an answer', (turn) => turn.record({ role: 'assistant', content: text('late') }), 'refused'],
  ['records a result', (turn) => turn.record({ role: 'tool', content: [] }), 'refused'],
  ['submits a value', (turn) => turn.submitResult({ late: true }), 'refused'],
  ['takes steering', (turn) => turn.takeSteering(), 'refused'],
  ['checks its session', (turn) => turn.check(), 'refused'],
];

/** All that can be seen of a world from outside. */
async function picture(world: World, ids: readonly string[]) {
  const logs = await Promise.all(ids.map(world.log));
  return { logs, events: world.events.all.length, live: world.live, writes: world.store.writes };
}

async function endedTurn(world: World, use: (turn: Turn) => Promise<unknown> | unknown, isDisposed: boolean) {
  const [place, deaf] = [gate(), gate()];
  const steps = [afterEndAt(place, use), says('done'), ...(isDisposed ? [ignoresStopAt(deaf)] : [])];
  world.driver.script('worker', steps);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { delivery: 'caller', outputSchema: { type: 'object' } });
  if (isDisposed) {
    await deaf.reached;
    const disposal = child.dispose().catch(() => undefined);
    await world.advance(5_000);
    await disposal;
  }
  const result = await child.result;
  await world.rest();
  return { child, place, deaf, result, ids: [root.id, child.childId], turn: world.driver.turnsOf('worker')[0] };
}

test.each(deeds.flatMap(([what, use, outcome]) => [true, false].map((isDisposed) => [what, isDisposed, use, outcome] as const)))(
  'a driver that %s after its end (disposed: %s) changes and writes nothing (O-3, P05, P31)',
  async (_, isDisposed, use, outcome) => {
    const world = openWorld();
    const { child, place, deaf, result, ids, turn } = await endedTurn(world, use, isDisposed);
    const before = await picture(world, ids);
    place.open();
    deaf.open();
    await world.rest();
    const said = await turn?.afterlife?.then(() => 'ignored').catch((error: { code?: string }) => error.code);
    expect(said).toBe(outcome === 'ignored' ? 'ignored' : 'FENCED');
    expect(await picture(world, ids)).toEqual(before);
    expect(await child.result).toBe(result);
  },
);

test('a turn of one life cannot write into the next life of the same child (O-3, P20)', async () => {
  const world = openWorld();
  const [place, second] = [gate(), gate()];
  world.driver.script(
    'worker',
    [afterEndAt(place, (turn) => turn.record({ role: 'assistant', content: text('from the grave') })), says('one')],
    [ignoresStopAt(second), says('two')],
  );
  const root = await world.openRoot();
  const child = await world.start(root.agent, { delivery: 'caller' });
  await child.result;
  await world.runtime.sendMessage(root.agent, child.childId, text('again'));
  await second.reached;
  place.open();
  await expect(world.driver.turnsOf('worker')[0]?.afterlife).rejects.toMatchObject({ code: 'FENCED' });
  second.open();
  await world.gone(child.childId);
  const said = (await world.logOf(child.childId, 'assistant/message')).flatMap(({ data }) => data.content);
  expect(said).toEqual([...text('one'), ...text('two')]);
});

test.each<readonly [string, (run: { settle(result: object): void; reject(error: unknown): void }) => void]>([
  ['settles', (run) => run.settle({ output: text('late') })],
  ['fails', (run) => run.reject(new Error('late'))],
])('an external run that %s once more after its end or its disposal changes nothing (O-3, P05)', async (_, speak) => {
  for (const isDisposed of [true, false]) {
    const world = openWorld();
    const remote = scriptedProvider();
    remote.plan({ neverSettles: isDisposed });
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { provider: 'remote', delivery: 'caller' });
    const run = await remote.run();
    if (!isDisposed) run.settle({ output: text('in time') });
    const disposal = child.dispose().catch(() => undefined);
    await world.advance(10_000);
    await disposal;
    const result = await child.result;
    const before = await picture(world, [root.id]);
    speak(run);
    await world.rest();
    expect(await picture(world, [root.id])).toEqual(before);
    expect(await child.result).toBe(result);
  }
});
