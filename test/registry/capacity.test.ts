/** S1.13, I-3: how many activations may be live at once, from admission to release. */
import { afterEach, describe, expect, test } from 'vitest';
import type { SubagentActivation } from '../../src/providers/contract.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { noteFigure } from '../support/figures.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { ends, ignoresStopAt, says, throws, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'again' }] as const;

afterEach(() => noteFigure('limitTests', 1));

/** Starts children that wait until the gate opens. */
async function fill(world: World, agent: Parameters<World['start']>[0], count: number) {
  const place = gate();
  for (let index = 0; index < count; index++) world.driver.script('holder', [waitsAt(place)]);
  const children = [];
  for (let index = 0; index < count; index++) children.push(await world.start(agent, { label: 'holder' }));
  return { place, children };
}

describe('the bound on live activations (S1.13)', () => {
  test.each([1, 3, 8])(
    'below one agent it takes %i and refuses the next, which changes nothing (S1.13, P21)',
    async (perRoot) => {
      const world = openWorld({ capacity: { perRoot } });
      const root = await world.openRoot();
      const { place, children } = await fill(world, root.agent, perRoot);
      const last = children.at(-1) as SubagentActivation;
      await world.rest();
      const { writes } = world.store;
      const lives = world.events.lives().length;
      const refused = world.start(root.agent, { childId: toSessionId('over') });
      await expect(refused).rejects.toMatchObject({ code: 'ACTIVATION_LIMIT_REACHED', retryable: true });
      await expect(refused).rejects.toThrow(new RegExp(`${perRoot} live activations`));
      await expect(refused).rejects.toThrow(last.childId);
      expect(world.store.writes).toBe(writes);
      expect(world.events.lives()).toHaveLength(lives);
      expect(world.live).toBe(perRoot);
      place.open();
      await last.result;
      expect(await codeOf(world.start(root.agent, { childId: toSessionId('over') }))).toBe('done');
    },
  );

  test('its default is 8 below one top-level agent, counting all levels, local and external (S1.13)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const { children } = await fill(world, root.agent, 6);
    await world.start(root.agent, { provider: 'remote' });
    const nested = world.resident(children[0]?.childId ?? '').agent;
    await world.start(nested, { label: 'holder' });
    expect(world.live).toBe(8);
    expect(await codeOf(world.start(root.agent))).toBe('ACTIVATION_LIMIT_REACHED');
    expect(await codeOf(world.start(nested, { provider: 'remote' }))).toBe('ACTIVATION_LIMIT_REACHED');
    expect(remote.requests).toHaveLength(1);
  });

  test('each top-level agent has its own, which its setup can change (S1.13)', async () => {
    const world = openWorld({ capacity: { perRoot: 1 } });
    const [one, two] = [await world.openRoot(), await world.openRoot({ activationsMax: 2 })];
    await fill(world, one.agent, 1);
    await fill(world, two.agent, 2);
    expect(await codeOf(world.start(one.agent))).toBe('ACTIVATION_LIMIT_REACHED');
    expect(await codeOf(world.start(two.agent))).toBe('ACTIVATION_LIMIT_REACHED');
    expect(world.live).toBe(3);
  });

  test.each([1, 2, 3])('of the whole runtime, over all top-level agents: %i (S1.13)', async (inAll) => {
    const world = openWorld({ capacity: { inAll } });
    const roots = [];
    for (let index = 0; index <= inAll; index++) roots.push(await world.openRoot());
    for (const root of roots.slice(0, inAll)) await fill(world, root.agent, 1);
    const refused = world.start((roots[inAll] ?? roots[0])?.agent as never);
    await expect(refused).rejects.toMatchObject({ code: 'ACTIVATION_LIMIT_REACHED' });
    await expect(refused).rejects.toThrow(new RegExp(`${inAll} live activations in the runtime`));
    expect(world.live).toBe(inAll);
  });

  test('a top-level agent takes none, whoever runs it (S1.13, S2.10)', async () => {
    const world = openWorld({ capacity: { perRoot: 1, inAll: 1 } });
    const roots = [await world.openRoot(), await world.attachRoot(), await world.openRoot()];
    expect(world.live).toBe(0);
    for (const root of roots) expect(await (await world.start(root.agent)).result).toMatchObject({ stopReason: 'completed' });
  });

  test('it counts from admission: a start that is still being made holds its place (S1.13)', async () => {
    const world = openWorld({ capacity: { perRoot: 1 } });
    const root = await world.openRoot();
    const place = gate();
    world.driver.onValidate = () => place.pass();
    const first = world.start(root.agent);
    expect(await codeOf(world.start(root.agent))).toBe('ACTIVATION_LIMIT_REACHED');
    place.open();
    await (await first).result;
  });

  test('of starts in one instant exactly as many go through as there are places (S1.13, P29)', async () => {
    const world = openWorld({ capacity: { perRoot: 3 } });
    const root = await world.openRoot();
    world.driver.otherwise(waitsAt());
    const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(world.start(root.agent))));
    expect(codes.filter((code) => code === 'done')).toHaveLength(3);
    expect(codes.filter((code) => code === 'ACTIVATION_LIMIT_REACHED')).toHaveLength(7);
  });

  test('a message that would resume a child at the bound is refused, and nothing has changed (S1.13)', async () => {
    const world = openWorld({ capacity: { perRoot: 1 } });
    const root = await world.openRoot();
    const cold = await world.start(root.agent);
    await cold.result;
    const before = await world.log(cold.childId);
    const { place, children } = await fill(world, root.agent, 1);
    expect(await codeOf(world.runtime.sendMessage(root.agent, cold.childId, hello))).toBe('ACTIVATION_LIMIT_REACHED');
    expect(await world.log(cold.childId)).toEqual(before);
    expect((await world.store.inner.head(toSessionId(cold.childId)))?.owner).toBeUndefined();
    place.open();
    await children[0]?.result;
    expect(await codeOf(world.runtime.sendMessage(root.agent, cold.childId, hello))).toBe('done');
  });

  test('a person’s prompt that would resume a child at the bound is refused as unavailable (S1.13)', async () => {
    const world = openWorld({ capacity: { perRoot: 1 } });
    const root = await world.openRoot();
    const cold = await world.start(root.agent);
    await cold.result;
    await fill(world, root.agent, 1);
    const prompt = { parentId: root.id, childId: cold.childId, delivery: 'queue', requestId: 'r1', content: hello } as const;
    expect(await codeOf(world.runtime.prompt(prompt))).toBe('subagent/delivery-unavailable');
    expect(await world.inserted(cold.childId)).toEqual(['go']);
  });

  test('a resume is no new child: an agent at the end of its lifetime limit can still resume the ones it has (S1.13)', async () => {
    const world = openWorld({ limits: { childrenPerAgent: 1 } });
    const root = await world.openRoot();
    const child = await world.start(root.agent);
    await child.result;
    expect(await codeOf(world.start(root.agent))).toBe('CHILD_LIMIT_REACHED');
    expect(await codeOf(world.runtime.sendMessage(root.agent, child.childId, hello))).toBe('done');
  });
});

describe('capacity that was taken', () => {
  test('it is free before the notice, so that a parent woken by it starts the next child at the bound (S1.13, design ruling 5)', async () => {
    const world = openWorld({ capacity: { perRoot: 1 } });
    const started: string[] = [];
    const next = async (turn: Parameters<Parameters<World['driver']['script']>[1][number]>[0]) => {
      started.push(await codeOf(world.start(turn.agent)));
    };
    world.driver.script('root', [next], [next], [next]);
    const root = await world.openRoot();
    await root.ask('begin');
    expect(started).toEqual(['done', 'done', 'done']);
    expect(world.live).toBe(0);
  });

  test('it is free while the child still marks that its parent was told (S1.13, design ruling 5)', async () => {
    const world = openWorld({ capacity: { perRoot: 1 } });
    const root = await world.openRoot();
    const at = { method: 'append', session: childId, event: 'notice/delivered' } as const;
    world.store.inject({ at, fault: 'hang' });
    const first = await world.start(root.agent, { childId });
    await world.store.reached(at);
    expect(world.isResident(childId)).toBe(true);
    expect(await codeOf(world.start(root.agent))).toBe('done');
    world.store.release();
    await first.result;
  });

  test('it comes back on every path: 300 children end in every way, none is refused, all stay readable (I-3, P22)', async () => {
    const world = openWorld({ capacity: { perRoot: 3 }, limits: { childrenPerAgent: 400 } });
    world.expectFaults('driver', 'dispose', 'seal');
    const root = await world.openRoot();
    world.driver.onRelease = (agent) => {
      if (agent.label === 'bad release') throw new Error('no');
    };
    let refusals = 0;
    const ways: readonly ((round: number) => Promise<unknown>)[] = [
      async () => (await world.start(root.agent, { label: 'done' })).result,
      async () => {
        world.driver.script('fails', [throws(new Error('no'))]);
        return (await world.start(root.agent, { label: 'fails' })).result;
      },
      async () => {
        const abort = new AbortController();
        const starting = codeOf(world.start(root.agent, { label: 'cancelled', signal: abort.signal }));
        abort.abort();
        return starting;
      },
      async () => {
        world.driver.script('limit', [says('half'), ends('max-tokens')]);
        return (await world.start(root.agent, { label: 'limit' })).result;
      },
      async () => {
        world.driver.script('killed', [waitsAt()]);
        const child = await world.start(root.agent, { label: 'killed' });
        await child.dispose();
      },
      async (round) => {
        world.driver.script('deaf', [ignoresStopAt()]);
        const child = await world.start(root.agent, { label: 'deaf' });
        await world.driver.turn('deaf', round + 1);
        const disposal = codeOf(child.dispose());
        await world.advance(world.registry.limits.turnStopMs);
        expect(await disposal).toBe('ACTIVATION_TEARDOWN_FAILED');
      },
      async () => codeOf((await world.start(root.agent, { label: 'bad release' })).dispose()),
      async () => {
        world.driver.script('late mail', [says('first')], [says('second')]);
        const child = await world.start(root.agent, { label: 'late mail' });
        await world.runtime.sendMessage(root.agent, child.childId, hello);
        return child.result;
      },
      async () => {
        world.store.inject({ at: { method: 'append', event: 'activation/ended' }, fault: 'reject', error: new Error('lost') });
        const child = await world.start(root.agent, { label: 'lost' });
        return codeOf(child.result);
      },
      async () => {
        world.driver.onValidate = () => {
          throw new Error('not this one');
        };
        const code = await codeOf(world.start(root.agent, { label: 'invalid' }));
        world.driver.onValidate = () => undefined;
        return code;
      },
    ];
    for (let round = 0; round < 30; round++) {
      for (const way of ways) {
        try {
          await way(round);
        } catch (error) {
          if ((error as { code?: string }).code === 'ACTIVATION_LIMIT_REACHED') refusals++;
          else throw error;
        }
      }
    }
    await world.rest();
    expect(refusals).toBe(0);
    expect(world.live).toBe(0);
    for (const { id } of await world.runtime.listChildren(root.id))
      expect((await world.runtime.readSession(id)).events.length).toBeGreaterThan(0);
  });
});
