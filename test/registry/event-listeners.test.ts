import { endWith, map, mergeMap, Observable, type OperatorFunction, Subject, Subscriber, tap } from 'rxjs';
import { expect, test } from 'vitest';
import { spawnProvider } from '../../src/providers/spawn.ts';
import type { SubagentEvent } from '../../src/registry/event-hub.ts';
import { says } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

/** One whole life with the listener in place; how often each fault was reported, by its text. */
async function liveWith(listen: (world: World) => unknown) {
  const world = openWorld();
  world.expectFaults('listener');
  listen(world);
  world.driver.script('worker', [says('done')]);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { delivery: 'caller' });
  const result = await child.result;
  await world.rest();
  return { world, result, childId: child.childId };
}

const isEnd = (event: SubagentEvent) => event.type === 'subagent/end';
const boom = () => {
  throw new Error('boom');
};
const boomLater = () => Promise.reject(new Error('boom'));
/** An operator of the host's own, which does not lift. */
const rebuilt: OperatorFunction<SubagentEvent, SubagentEvent> = (source) => new Observable((out) => source.subscribe(out));

test.each<readonly [string, (events$: Observable<SubagentEvent>) => unknown]>([
  ['that throws', (events$) => events$.subscribe((event) => isEnd(event) && boom())],
  ['that rejects', (events$) => events$.subscribe((event) => (isEnd(event) ? boomLater() : undefined))],
  ['in an observer object', (events$) => events$.subscribe({ next: (event) => isEnd(event) && boom() })],
  ['behind an operator', (events$) => events$.pipe(map(isEnd)).subscribe((is) => is && boom())],
  ['behind several operators', (events$) => events$.pipe(map(isEnd), map(Number), tap()).subscribe((is) => is === 1 && boom())],
  ['behind an operator that builds a new observable', (events$) => events$.pipe(endWith()).subscribe((e) => isEnd(e) && boom())],
  ['behind an operator of the host', (events$) => events$.pipe(rebuilt).subscribe((event) => isEnd(event) && boom())],
  ['that returns a thenable that rejects', (events$) => events$.subscribe((event) => isEnd(event) && thenable())],
])('a listener %s hurts neither the run nor its peers, and each fault is reported once (S5.5, O-1, P31)', async (_, listen) => {
  const peers: string[] = [];
  const { world, result, childId } = await liveWith(({ runtime }) => {
    runtime.events$.subscribe((event) => isEnd(event) && peers.push('before'));
    listen(runtime.events$);
    runtime.events$.subscribe((event) => isEnd(event) && peers.push('after'));
  });
  expect(result).toEqual({ output: [{ type: 'text', text: 'done' }], stopReason: 'completed' });
  expect(peers).toEqual(['before', 'after']);
  expect(world.events.lives(childId)).toEqual(['start worker', 'end worker completed']);
  expect(world.faults.map(({ where, error }) => [where, String(error)])).toEqual([['listener', 'Error: boom']]);
});

function thenable(): unknown {
  // biome-ignore lint/suspicious/noThenProperty: what other promise libraries return
  return { then: (_: unknown, failed: (fault: unknown) => void) => void failed(new Error('boom')) };
}

test.each<readonly [string, OperatorFunction<SubagentEvent, unknown>]>([
  ['throws', map(boom)],
  ['rejects', mergeMap(boomLater)],
])('a listener whose operator %s is told so if it asks, and else the fault is reported (S5.5)', async (_, operator) => {
  const told: unknown[] = [];
  const { world } = await liveWith(({ runtime }) => {
    runtime.events$.pipe(operator).subscribe({ error: (fault) => told.push(String(fault)) });
    runtime.events$.pipe(operator).subscribe();
  });
  expect(told).toEqual(['Error: boom']);
  expect(world.faults.map(({ where, error }) => [where, String(error)])).toEqual([['listener', 'Error: boom']]);
});

test('a closed subject and a bare subscriber that throws are contained as well (S5.5)', async () => {
  const { world, result } = await liveWith(({ runtime }) => {
    const subject = new Subject<SubagentEvent>();
    runtime.events$.subscribe(subject);
    subject.unsubscribe();
    runtime.events$.subscribe(new Subscriber<SubagentEvent>({ next: boom } as never));
  });
  expect(result.stopReason).toBe('completed');
  expect(new Set(world.faults.map(({ error }) => (error as Error).message))).toContain('boom');
});

test('a listener of one parent that throws is contained, and the events go on (S5.5)', async () => {
  const world = openWorld();
  world.expectFaults('listener');
  const root = await world.openRoot();
  const seen: string[] = [];
  world.runtime.eventsOf(root.agent).subscribe((event) => {
    seen.push(event.type);
    boom();
  });
  await (await world.start(root.agent)).result;
  await world.rest();
  expect(seen).toEqual(['subagent/start', 'subagent/end']);
  expect(world.faults).toHaveLength(2);
});

test('a provider can be registered while a listener throws (S5.5)', () => {
  const world = openWorld();
  world.expectFaults('listener');
  world.runtime.events$.subscribe(boom);
  world.runtime.registerProvider(spawnProvider({ name: 'second' }));
  expect(world.runtime.getProvider('second')?.name).toBe('second');
});
