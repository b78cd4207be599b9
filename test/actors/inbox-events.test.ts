/** S3.5: inserted, claimed and discarded are told as they happen, and every accepted message leaves exactly once. */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const text = (words: string) => [{ type: 'text', text: words }] as const;

/** Each message of the agent with the ways it went: its events in order, as they were told. */
function told(world: World, agentId: string): Map<string, string[]> {
  const ways = new Map<string, string[]>();
  const note = (id: string, what: string) => ways.set(id, [...(ways.get(id) ?? []), what]);
  for (const event of world.events.all) {
    if (!('agentId' in event) || event.agentId !== agentId) continue;
    if (event.type === 'agent/inbox/inserted') note(event.messageId, 'inserted');
    if (event.type === 'agent/inbox/claimed') for (const id of event.messageIds) note(id, 'claimed');
    if (event.type === 'agent/inbox/discarded') for (const id of event.messageIds) note(id, 'discarded');
  }
  return ways;
}

describe('the events of an inbox (S3.5)', () => {
  test('prompt, steers at a boundary, steers that open a turn, and what a disposal drops: each in once and out once (S3.5)', async () => {
    const world = openWorld();
    const [first, second, third] = [gate(), gate(), gate()];
    world.driver.script('worker', [waitsAt(first), takesSteering(), waitsAt(second)], [waitsAt(third)]);
    const root = await world.openRoot();
    const send = (words: string) => world.runtime.sendMessage(root.agent, childId, text(words));
    const child = await world.start(root.agent, { childId });
    await first.reached;
    const atBoundary = await Promise.all([send('1'), send('2')]);
    first.open();
    await second.reached;
    const opens = await send('3');
    second.open();
    await third.reached;
    const dropped = await Promise.all([send('4'), send('5')]);
    await child.dispose();
    const ways = told(world, childId);
    for (const id of [child.messageId ?? '', ...atBoundary, opens]) expect(ways.get(id)).toEqual(['inserted', 'claimed']);
    for (const id of dropped) expect(ways.get(id)).toEqual(['inserted', 'discarded']);
    expect(ways.size).toBe(6);
    const claims = world.events.of('agent/inbox/claimed').filter(({ agentId }) => agentId === childId);
    expect(
      claims.map(({ messageIds }) => messageIds.length),
      'a boundary claims one batch',
    ).toEqual([1, 2, 1]);
  });

  test('they are told after the log holds them, in the order of the log (S3.5, P27)', async () => {
    const world = openWorld();
    const seen: boolean[] = [];
    world.runtime.events$.subscribe((event) => {
      if (event.type !== 'agent/inbox/inserted' || event.agentId !== childId) return;
      seen.push(
        world.store.calls.some((call) => call.session === childId && call.events.some(({ type }) => type === 'inbox/inserted')),
      );
    });
    const root = await world.openRoot();
    await (await world.start(root.agent, { childId })).result;
    expect(seen).toEqual([true]);
  });

  test('a claim that cannot be written is none: the message stays, and the next activation claims it (S3.5, P13)', async () => {
    const world = openWorld();
    world.expectFaults('turn');
    world.store.inject({
      at: { method: 'append', session: childId, event: 'inbox/claimed' },
      fault: 'reject',
      error: new SubagentError('STORE_FULL', 'no'),
    });
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    expect((await child.result).stopReason).toBe('error');
    expect(told(world, childId).get(child.messageId ?? '')).toEqual(['inserted']);
    expect(world.driver.turnsOf('worker')).toEqual([]);
    await world.runtime.sendMessage(root.agent, childId, text('again'));
    await world.gone(childId);
    expect(told(world, childId).get(child.messageId ?? '')).toEqual(['inserted', 'claimed']);
  });

  test('a claim that cannot be written while the child is disposed is none: the disposal drops the message for good (S3.5, P05)', async () => {
    const world = openWorld();
    world.expectFaults('turn');
    const at = { method: 'append', session: childId, event: 'inbox/claimed' } as const;
    world.store.inject({ at, fault: 'hang' });
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await world.store.reached(at);
    const disposal = child.dispose();
    world.store.release(new SubagentError('STORE_FULL', 'no'));
    await disposal;
    expect(told(world, childId).get(child.messageId ?? '')).toEqual(['inserted', 'discarded']);
    expect((await world.store.inner.pending()).filter(({ header }) => header.id === childId)).toEqual([]);
  });

  test('a steer whose claim cannot be written waits for the next boundary (S3.5)', async () => {
    const world = openWorld();
    const place = gate();
    const codes: string[] = [];
    world.driver.script('worker', [
      waitsAt(place),
      async (turn) => {
        codes.push(await codeOf(turn.takeSteering()));
        codes.push(String((await turn.takeSteering()).length));
      },
      says('done'),
    ]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    await world.runtime.sendMessage(root.agent, childId, text('steer'));
    world.store.inject({
      at: { method: 'append', session: childId, event: 'inbox/claimed' },
      fault: 'reject',
      error: new SubagentError('STORE_FULL', 'no'),
    });
    place.open();
    expect((await child.result).stopReason).toBe('completed');
    expect(codes).toEqual(['STORE_FULL', '1']);
    expect(world.driver.turnsOf('worker')).toHaveLength(1);
  });

  test('a message whose fate in the log is unknown ends the activation with that code, for sender and caller, and it goes on as the log says (S10.1, design ruling 7)', async () => {
    for (const isDone of [true, false]) {
      const world = openWorld();
      world.expectFaults('turn');
      const place = gate();
      world.driver.script('worker', [waitsAt(place)], [waitsAt(place)]);
      const root = await world.openRoot();
      const child = await world.start(root.agent, { childId });
      await place.reached;
      world.store.inject({ at: { method: 'append', session: childId, event: 'inbox/inserted' }, fault: 'unknown', isDone });
      expect(await codeOf(world.runtime.sendMessage(root.agent, childId, text('maybe')))).toBe('OUTCOME_UNKNOWN');
      expect(await codeOf(child.result)).toBe('OUTCOME_UNKNOWN');
      // it goes on as after a crash, by itself
      const { input } = await world.driver.turn('worker', 2);
      expect(input.map(({ source }) => source.kind)).toEqual([...(isDone ? ['agent-message'] : []), 'turn-interrupted']);
      place.open();
      await world.gone(childId);
      expect((await world.inserted(childId)).slice(0, isDone ? 2 : 1)).toEqual(isDone ? ['go', 'maybe'] : ['go']);
      await world.rest();
    }
  });
});
