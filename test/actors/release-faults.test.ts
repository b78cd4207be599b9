/** S2.5, S2.6: what fails while an agent is released costs nobody else anything. */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import type { SessionEventType } from '../../src/sessions/event.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

const childId = toSessionId('child-1');
const full = new SubagentError('STORE_FULL', 'no');
const append = (session: string, event: SessionEventType) => ({ method: 'append', session, event }) as const;

/** A root whose child `middle` has a child `leaf`; both wait. */
async function threeLevels() {
  const world = openWorld();
  const place = gate();
  world.driver.script('middle', [
    async ({ agent }) => void (await world.start(agent, { label: 'leaf', childId: toSessionId('leaf') })),
    waitsAt(place),
  ]);
  world.driver.script('leaf', [waitsAt(place)]);
  const root = await world.openRoot();
  const middle = await world.start(root.agent, { label: 'middle', childId: toSessionId('middle') });
  await world.driver.turn('leaf');
  await world.rest();
  return { world, root, middle, place };
}

describe('a flush that fails (S2.5)', () => {
  test('it is reported, and pins neither the activation nor its ancestors; the outcome stands (S2.5)', async () => {
    const { world, root, middle } = await threeLevels();
    world.expectFaults('flush');
    for (const session of ['leaf', 'middle']) {
      world.store.inject({ at: append(session, 'activation/ended'), fault: 'reject', error: full });
    }
    await middle.dispose();
    expect(world.live).toBe(0);
    expect(world.faults.map(({ where }) => where)).toEqual(['flush', 'flush']);
    expect(world.events.lives()).toEqual(['start middle', 'start leaf', 'end leaf aborted', 'end middle aborted']);
    expect((await middle.result).stopReason).toBe('aborted');
    expect(world.isResident(root.id)).toBe(true);
  });

  test('it is given up when the store does not answer (S2.5, P24)', async () => {
    const { world, middle } = await threeLevels();
    world.expectFaults('flush');
    world.store.inject({ at: append('leaf', 'activation/ended'), fault: 'hang' });
    const disposal = codeOf(middle.dispose());
    await world.store.reached(append('leaf', 'activation/ended'));
    await world.advance(world.registry.limits.appendMs);
    expect(await disposal).toBe('done');
    expect(world.live).toBe(0);
  });

  test('a seal that fails ends the activation all the same, and the parent is told (S2.5)', async () => {
    const world = openWorld();
    world.expectFaults('seal');
    world.store.inject({ at: append(childId, 'activation/ended'), fault: 'reject', error: full });
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    expect((await child.result).stopReason).toBe('completed');
    expect(await codeOf(child.dispose())).toBe('done');
    expect(await world.inserted(root.id)).toEqual(['Final text:\nok']);
    expect((await world.store.inner.head(childId))?.owner).toBeUndefined();
  });
});

describe('a teardown that fails (S2.6)', () => {
  const breaks: readonly (readonly [how: string, release: () => void | Promise<void>])[] = [
    [
      'throws',
      () => {
        throw new Error('stuck');
      },
    ],
    ['rejects', () => Promise.reject(new Error('stuck'))],
    ['hangs', () => new Promise(() => undefined)],
  ];

  test.each(breaks)(
    'a driver whose release %s: result and notice keep the outcome, dispose and end event show it, the parent settles (S2.6)',
    async (_, release) => {
      const world = openWorld();
      world.expectFaults('dispose');
      world.driver.onRelease = (agent) => (agent.label === 'leaf' ? release() : undefined);
      world.driver.script('worker', [
        async ({ agent }) => void (await world.start(agent, { label: 'leaf', childId: toSessionId('leaf') })),
      ]);
      world.driver.script('leaf', [says('leaf answer')]);
      const root = await world.openRoot();
      const child = await world.start(root.agent, { childId });
      await world.driver.turn('leaf');
      await world.advance(world.registry.limits.disposeMs);
      expect((await child.result).stopReason).toBe('completed');
      expect(await world.inserted(childId)).toEqual(['go', 'Final text:\nleaf answer']);
      const [leafEnd, childEnd] = world.events.of('subagent/end');
      expect(leafEnd).toMatchObject({ label: 'leaf', stopReason: 'completed', error: expect.stringContaining('leaf') });
      expect(childEnd).not.toHaveProperty('error');
      expect(await codeOf(child.dispose())).toBe('done');
      expect(world.live).toBe(0);
    },
  );

  test('the disposal of a parent shows the failure below it, once all have ended (S2.6)', async () => {
    const { world, middle } = await threeLevels();
    world.expectFaults('dispose');
    world.driver.onRelease = (agent) => (agent.label === 'leaf' ? Promise.reject(new Error('stuck leaf')) : undefined);
    await expect(middle.dispose()).rejects.toMatchObject({
      code: 'ACTIVATION_TEARDOWN_FAILED',
      cause: { errors: [{ cause: { message: 'stuck leaf' } }] },
    });
    expect(world.live).toBe(0);
    expect(world.driver.released).toEqual(['leaf', 'middle']);
  });

  test('a drain releases everything, and then rejects with all the failures at once (S4.3, S2.6)', async () => {
    const { world, root } = await threeLevels();
    world.expectFaults('dispose');
    world.driver.onRelease = (agent) => {
      throw new Error(`stuck ${agent.label}`);
    };
    const drain = world.runtime.drainDescendants([root.agent]);
    await expect(drain).rejects.toMatchObject({
      code: 'ACTIVATION_TEARDOWN_FAILED',
      cause: { errors: [{ cause: { message: 'stuck middle' } }, { cause: { message: 'stuck leaf' } }] },
    });
    expect(world.live).toBe(0);
    expect(world.isResident(root.id)).toBe(true);
    world.driver.onRelease = () => undefined;
  });
});

describe('a session that cannot be written', () => {
  const moments: readonly SessionEventType[] = ['inbox/claimed', 'assistant/message', 'turn/ended', 'activation/ended'];

  test.each(moments)(
    'FENCED at %s: the result rejects with the code, the parent is not told by this process, and nothing more is written (S2.2, P20)',
    async (event) => {
      const world = openWorld();
      world.expectFaults(event === 'activation/ended' ? 'seal' : 'turn');
      const root = await world.openRoot();
      const child = await world.start(root.agent, { childId });
      const fence = async () => {
        await world.store.inner.handBack(childId, 1);
        await world.store.inner.claim(childId, 'another runtime');
      };
      const at = append(childId, event);
      world.store.inject({ at, fault: 'hang' });
      await world.store.reached(at);
      await fence();
      const { seq } = (await world.store.inner.head(childId)) ?? { seq: 0 };
      world.store.release();
      expect(await codeOf(child.result)).toBe('FENCED');
      await world.rest();
      expect((await world.store.inner.head(childId))?.seq).toBe(seq);
      expect((await world.store.inner.head(childId))?.owner).toBe('another runtime');
      expect(await world.inserted(root.id)).toEqual([]);
      expect(world.live).toBe(0);
      expect(world.events.of('subagent/end')).toHaveLength(1);
    },
  );

  test.each(moments)(
    'STORE_FULL at %s: the activation ends with an outcome, the parent is told once, and the child can be resumed (P01, P22)',
    async (event) => {
      const world = openWorld();
      world.expectFaults(
        ...({ 'inbox/claimed': ['turn'], 'assistant/message': ['driver'], 'turn/ended': ['turn'], 'activation/ended': ['seal'] }[
          event as string
        ] ?? []),
      );
      const root = await world.openRoot();
      world.store.inject({ at: append(childId, event), fault: 'reject', error: full });
      const child = await world.start(root.agent, { childId });
      const { stopReason } = await child.result;
      expect(stopReason).toBe(event === 'activation/ended' ? 'completed' : 'error');
      await world.rest();
      expect((await world.logOf(root.id, 'inbox/inserted')).map(({ data }) => data.messageId)).toEqual([`${childId}:1`]);
      expect(world.live).toBe(0);
      await world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text: 'again' }]);
      await world.gone(childId);
      const claimed = (await world.logOf(childId, 'inbox/claimed')).flatMap(({ data }) => data.messageIds);
      const inserted = (await world.logOf(childId, 'inbox/inserted')).map(({ data }) => data.messageId);
      expect([...claimed].sort()).toEqual([...inserted].sort());
      expect((await world.store.inner.pending()).filter(({ header }) => header.id === childId)).toEqual([]);
    },
  );
});
