/** S2.9: a structured result closes the inbox of its activation; what comes then comes to the next one, which has no schema. */
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { says, submits, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'one more thing' }] as const;
const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

describe('after a structured result (S2.9)', () => {
  test('a message waits for the release and brings the child back, without the schema (S2.9)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [submits({ n: 1 }), waitsAt(place), takesSteering()], [says('as prose')]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId, outputSchema });
    await place.reached;
    let isAccepted = false;
    const sending = world.runtime.sendMessage(root.agent, childId, hello).then((id) => {
      isAccepted = true;
      return id;
    });
    await world.rest();
    expect(isAccepted).toBe(false);
    place.open();
    const messageId = await sending;
    expect((await child.result).structured).toEqual({ n: 1 });
    await world.gone(childId);
    const [first, second] = world.driver.turnsOf('worker');
    expect(first?.steering).toEqual([]);
    expect(first?.turn.outputSchema).toEqual(outputSchema);
    expect(second?.turn.outputSchema).toBeUndefined();
    expect(second?.input.map(({ messageId: id }) => id)).toEqual([messageId]);
    expect(world.events.of('subagent/end').map(({ stopReason }) => stopReason)).toEqual(['completed', 'completed']);
  });

  test('a message that came before it is not lost: it opens another turn of the same activation (S2.9, P13)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [waitsAt(place), submits({ n: 1 })], [says('answered')]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId, outputSchema });
    await place.reached;
    await world.runtime.sendMessage(root.agent, childId, hello);
    place.open();
    expect(await child.result).toMatchObject({ structured: { n: 1 }, stopReason: 'completed' });
    expect(world.driver.turnsOf('worker')).toHaveLength(2);
    expect(world.events.of('subagent/start')).toHaveLength(1);
  });

  test('a refused value does not close it (S2.9, S5.3)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [submits({ n: 'no' }), waitsAt(place), takesSteering(), submits({ n: 2 })]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId, outputSchema });
    await place.reached;
    await world.runtime.sendMessage(root.agent, childId, hello);
    place.open();
    expect((await child.result).structured).toEqual({ n: 2 });
    expect(world.driver.turnsOf('worker')[0]?.steering).toHaveLength(1);
    expect(world.driver.turnsOf('worker')).toHaveLength(1);
  });

  test('a message of its own child is refused, since the child cannot outlive the activation (S2.9)', async () => {
    const world = openWorld();
    const [place, leaf] = [gate(), gate()];
    let code = '';
    world.driver.script('worker', [
      async ({ agent }) => void (await world.start(agent, { label: 'leaf', delivery: 'caller' })),
      submits({ n: 1 }),
      waitsAt(place),
    ]);
    world.driver.script('leaf', [
      waitsAt(leaf),
      async ({ agent }) => {
        code = await codeOf(world.runtime.sendMessage(agent, childId, hello));
      },
    ]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId, outputSchema });
    await Promise.all([place.reached, leaf.reached]);
    leaf.open();
    await world.rest();
    place.open();
    await child.result;
    expect(code).toBe('ACTIVATION_CLOSING');
  });

  test('the notice of its own child is kept for the next activation and wakes nobody (S2.9, S3.9)', async () => {
    const world = openWorld();
    const leaf = gate();
    world.driver.script('worker', [async ({ agent }) => void (await world.start(agent, { label: 'leaf' })), submits({ n: 1 })]);
    world.driver.script('leaf', [waitsAt(leaf), says('leaf answer')]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId, outputSchema });
    await leaf.reached;
    await world.rest();
    leaf.open();
    expect(await child.result).toMatchObject({ structured: { n: 1 }, stopReason: 'completed' });
    expect(world.driver.turnsOf('worker')).toHaveLength(1);
    await world.runtime.sendMessage(root.agent, childId, hello);
    const turn = await world.driver.turn('worker', 2);
    await world.gone(childId);
    const seen = world.driver
      .turnsOf('worker')
      .slice(1)
      .flatMap(({ input }) => input.map(({ source }) => source.kind));
    expect(seen).toEqual(['subagent-settled', 'agent-message']);
    expect(turn.input).toHaveLength(2);
  });

  test('a person’s prompt waits for the next activation too (S2.9, S3.7)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('worker', [submits({ n: 1 }), waitsAt(place)], [says('as prose')]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId, outputSchema });
    await place.reached;
    const prompting = world.runtime.prompt({ parentId: root.id, childId, delivery: 'queue', requestId: 'r', content: hello });
    await world.rest();
    expect(await world.inserted(childId)).toEqual(['go']);
    place.open();
    await prompting;
    await child.result;
    await world.gone(childId);
    expect((await world.store.inner.head(childId))?.epoch).toBe(2);
  });
});
