/** A turn that does not end when it is asked to: given up after its bound, closed in the log, and never able to write again (P12, P24). */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { afterEndAt, ignoresStopAt, leavesCallOpen, says } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'again' }] as const;

async function deaf() {
  const world = openWorld();
  const place = gate();
  const late: string[] = [];
  world.driver.script('worker', [
    says('half'),
    leavesCallOpen('search', 'call-open'),
    ignoresStopAt(place),
    async (turn) => {
      late.push(await codeOf(turn.record({ role: 'assistant', content: [{ type: 'text', text: 'late' }] })));
      late.push(await codeOf(turn.takeSteering()));
      late.push(await codeOf(turn.check()));
      turn.stream({ type: 'text', text: 'late' });
    },
  ]);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { childId });
  await place.reached;
  return { world, root, child, place, late };
}

describe('a turn that is deaf', () => {
  test.each(['dispose', 'drain', 'close'] as const)(
    'it is given up after its bound on %s: the log is balanced and closed, so that recovery leaves it alone (P05, P18)',
    async (how) => {
      const { world, root, child, place } = await deaf();
      const stop = {
        dispose: () => child.dispose(),
        drain: () => world.runtime.drainDescendants([root.agent]),
        close: () => root.close(),
      }[how];
      const stopping = codeOf(stop());
      await world.advance(world.registry.limits.turnStopMs - 1);
      expect(world.isResident(childId)).toBe(true);
      await world.advance(1);
      expect(await stopping).toBe('ACTIVATION_TEARDOWN_FAILED');
      expect(await child.result).toMatchObject({ stopReason: 'aborted', output: [{ text: 'half' }] });
      expect((await world.typesOf(childId)).slice(-4)).toEqual([
        'tool/results',
        'turn/ended',
        'activation/ended',
        'notice/delivered',
      ]);
      expect((await world.logOf(childId, 'turn/ended'))[0]?.data).toMatchObject({
        stopReason: 'aborted',
        diagnostic: expect.stringContaining('given up'),
      });
      expect((await world.logOf(childId, 'tool/results'))[0]?.data.content).toMatchObject([
        { callId: 'call-open', isInterrupted: true },
      ]);
      expect(await world.store.inner.pending()).toEqual([]);
      place.open();
    },
  );

  test('it writes nothing, claims nothing and shows nothing afterwards (O-3, P05)', async () => {
    const { world, child, place, late } = await deaf();
    const disposal = codeOf(child.dispose());
    await world.advance(world.registry.limits.turnStopMs);
    await disposal;
    const before = await world.log(childId);
    const progress = world.events.of('agent/progress').length;
    place.open();
    await world.rest();
    expect(late).toEqual(['FENCED', 'FENCED', 'FENCED']);
    expect(await world.log(childId)).toEqual(before);
    expect(world.events.of('agent/progress')).toHaveLength(progress);
  });

  test('it can write nothing either while its children are still being ended (O-3, P05)', async () => {
    const world = openWorld();
    world.expectFaults('dispose');
    const place = gate();
    const late: string[] = [];
    world.driver.onRelease = (agent) => (agent.label === 'leaf' ? new Promise(() => undefined) : undefined);
    world.driver.script('worker', [
      async ({ agent }) => void (await world.start(agent, { label: 'leaf', delivery: 'caller' })),
      ignoresStopAt(place),
      async (turn) => {
        late.push(await codeOf(turn.record({ role: 'assistant', content: [{ type: 'text', text: 'late' }] })));
      },
    ]);
    world.driver.script('leaf', [ignoresStopAt()]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    await world.driver.turn('leaf');
    const disposal = codeOf(child.dispose());
    await world.advance(world.registry.limits.turnStopMs);
    expect(world.isResident(childId)).toBe(true);
    place.open();
    await world.rest();
    expect(late).toEqual(['FENCED']);
    await world.advance(world.registry.limits.disposeMs);
    expect(await disposal).toBe('ACTIVATION_TEARDOWN_FAILED');
  });

  test('when it was interrupted, mail that came meanwhile opens the next activation, and the deaf turn cannot touch that (P12, S4.1)', async () => {
    const { world, root, child, place, late } = await deaf();
    world.runtime.interrupt(childId, { kind: 'user', parentSessionId: root.id });
    await world.runtime.sendMessage(root.agent, childId, hello);
    await world.advance(world.registry.limits.turnStopMs);
    expect((await child.result).stopReason).toBe('aborted');
    await world.driver.turn('worker', 2);
    place.open();
    await world.rest();
    expect(late).toEqual(['FENCED', 'FENCED', 'FENCED']);
    expect((await world.logOf(childId, 'inbox/claimed')).flatMap(({ data }) => data.messageIds)).toHaveLength(2);
    expect(world.events.lives(childId)).toEqual(['start worker', 'end worker aborted', 'start worker', 'end worker completed']);
  });
});

test('a turn whose end could not be written is closed by the last flush, if that can be written (P18)', async () => {
  const world = openWorld();
  world.expectFaults('turn');
  world.store.inject({
    at: { method: 'append', session: childId, event: 'turn/ended' },
    fault: 'reject',
    error: new SubagentError('STORE_FULL', 'no'),
  });
  const root = await world.openRoot();
  const child = await world.start(root.agent, { childId });
  expect((await child.result).stopReason).toBe('error');
  expect((await world.typesOf(childId)).slice(-3)).toEqual(['turn/ended', 'activation/ended', 'notice/delivered']);
  expect(await world.store.inner.pending()).toEqual([]);
});

test('a turn that has ended and is used by its driver afterwards writes nothing (O-3, P05)', async () => {
  const world = openWorld();
  const place = gate();
  world.driver.script('worker', [
    afterEndAt(place, async (turn) => {
      turn.stream({ type: 'text', text: 'late' });
      return codeOf(turn.record({ role: 'assistant', content: [{ type: 'text', text: 'late' }] }));
    }),
    says('done'),
  ]);
  const root = await world.openRoot();
  const child = await world.start(root.agent, { childId });
  const result = await child.result;
  const before = await world.log(childId);
  place.open();
  expect(await world.driver.turnsOf('worker')[0]?.afterlife).toBe('FENCED');
  expect(await world.log(childId)).toEqual(before);
  expect(await child.result).toBe(result);
});
