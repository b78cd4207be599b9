/** S3.9, A-1, A-3: the word that a parent gets when an activation of a child is over. */
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import type { InboxMessage } from '../../src/sessions/message.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { ends, says, submits, takesSteering, throws, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const hello = [{ type: 'text', text: 'again' }] as const;

const noticesOf = async (world: World, id: string) =>
  (await world.logOf(id, 'inbox/inserted')).map(({ data }) => data).filter(({ source }) => source.kind === 'subagent-settled');

describe('the content of a notice (S3.9)', () => {
  test('it says how the child ended, with its final text, its structured value and its diagnostic (S3.9)', async () => {
    const world = openWorld();
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } } } as const;
    world.driver.script('completed', [says('the answer')]);
    world.driver.script('structured', [says('prose'), submits({ n: 1 })]);
    world.driver.script('failed', [says('half'), ends('error', 'model is away')]);
    world.driver.script('silent', [ends('refusal')]);
    const root = await world.openRoot();
    for (const label of ['completed', 'structured', 'failed', 'silent']) {
      await (
        await world.start(root.agent, { label, childId: toSessionId(label), ...(label === 'structured' && { outputSchema }) })
      ).result;
    }
    const notices = await noticesOf(world, root.id);
    expect(notices.map(({ source }) => source)).toEqual([
      { kind: 'subagent-settled', form: 'notice', summary: 'completed ended: completed', senderSessionId: 'completed' },
      { kind: 'subagent-settled', form: 'notice', summary: 'structured ended: completed', senderSessionId: 'structured' },
      { kind: 'subagent-settled', form: 'notice', summary: 'failed ended: error', senderSessionId: 'failed' },
      { kind: 'subagent-settled', form: 'notice', summary: 'silent ended: refusal', senderSessionId: 'silent' },
    ]);
    expect(notices.map(({ content }) => textOf(content))).toEqual([
      'Final text:\nthe answer',
      'Structured result: {"n":1}\nFinal text:\nprose',
      'Diagnostic: model is away\nPartial text:\nhalf',
      'It left no text.',
    ]);
  });

  test('it is the same for an external child (S3.9)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    remote.plan({ result: { output: [{ type: 'text', text: 'half' }], stopReason: 'max-tokens', diagnostic: 'ran out' } });
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    await (await world.start(root.agent, { provider: 'remote', label: 'far' })).result;
    const [notice] = await noticesOf(world, root.id);
    expect(notice?.source).toEqual({
      kind: 'subagent-settled',
      form: 'notice',
      summary: 'far ended: max-tokens',
      senderSessionId: 'remote-1',
    });
    expect(textOf(notice?.content ?? [])).toBe('Diagnostic: ran out\nPartial text:\nhalf');
  });

  test('the model sees who ended and how in a first line that only the runtime writes (S3.9, P37)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    await (await world.start(root.agent, { childId })).result;
    expect((await world.driver.turn('root')).prompts).toEqual([
      `Notice from the runtime about subagent ${childId}: worker ended: completed\nFinal text:\nok`,
    ]);
  });
});

describe('when and to whom (S3.9)', () => {
  test('an idle parent is woken by it, a busy one gets it at its next step (S3.9, P02)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.script('root', [waitsAt(place), takesSteering()]);
    const root = await world.openRoot();
    await root.prompt('be busy');
    await place.reached;
    await (await world.start(root.agent, { childId })).result;
    place.open();
    await world.rest();
    expect(world.driver.turnsOf('root')[0]?.steering.map(({ messageId }) => messageId)).toEqual([`${childId}:1`]);
    expect(world.driver.turnsOf('root')).toHaveLength(1);
    await (await world.start(root.agent)).result;
    await world.driver.turn('root', 2);
  });

  test('it comes once for each activation, with the key of that activation, and the child is not released before (S3.9, P15)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const at = { method: 'append', session: root.id, event: 'inbox/inserted' } as const;
    world.store.inject({ at, fault: 'hang' });
    const child = await world.start(root.agent, { childId });
    await world.store.reached(at);
    await world.rest();
    expect(world.isResident(childId)).toBe(true);
    expect(world.resident(root.id).children.size).toBe(1);
    world.store.release();
    await child.result;
    await world.runtime.sendMessage(root.agent, childId, hello);
    await world.gone(childId);
    expect((await noticesOf(world, root.id)).map(({ messageId }) => messageId)).toEqual([`${childId}:1`, `${childId}:2`]);
    expect((await world.logOf(childId, 'notice/delivered')).map(({ data }) => data.notice)).toEqual([
      `${childId}:1`,
      `${childId}:2`,
    ]);
  });

  test('delivery to the caller suppresses it for that execution only: a later activation tells the parent (S3.9)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    remote.plan({ result: { output: [], stopReason: 'completed' } });
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    await (await world.start(root.agent, { childId, delivery: 'caller' })).result;
    await (await world.start(root.agent, { provider: 'remote', delivery: 'caller' })).result;
    await world.rest();
    expect(await noticesOf(world, root.id)).toEqual([]);
    expect((await world.logOf(childId, 'activation/ended'))[0]?.data).not.toHaveProperty('notice');
    await world.runtime.sendMessage(root.agent, childId, hello);
    await world.gone(childId);
    expect((await noticesOf(world, root.id)).map(({ messageId }) => messageId)).toEqual([`${childId}:2`]);
  });

  test('a start that was refused tells nobody (S3.9)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    world.driver.onValidate = () => {
      throw new Error('no');
    };
    await world.start(root.agent, { childId }).catch(() => undefined);
    await world.rest();
    expect(await noticesOf(world, root.id)).toEqual([]);
    expect(world.driver.turns).toEqual([]);
  });

  test('many that end together wake the parent once, and none is lost (P02)', async () => {
    const world = openWorld();
    const place = gate();
    const root = await world.openRoot();
    world.driver.otherwise(async ({ agent }) => (agent.depth === 1 ? place.pass() : undefined));
    const children = [];
    for (let index = 0; index < 8; index++) children.push(await world.start(root.agent));
    await world.rest();
    place.open();
    await Promise.all(children.map(({ result }) => result));
    await world.rest();
    const heard = world.driver.turnsOf('root').flatMap(({ input }) => input.map(({ messageId }) => messageId));
    expect(heard.sort()).toEqual(children.map(({ childId: id }) => `${id}:1`).sort());
    expect(world.driver.turnsOf('root').length).toBeLessThanOrEqual(2);
  });
});

describe('a parent that is being torn down (S3.9)', () => {
  test('it gets the notice without waking, and claims it with its next turn after it is reopened (S3.9, design ruling 6)', async () => {
    const world = openWorld();
    world.driver.script('worker', [says('half'), waitsAt()]);
    const root = await world.openRoot();
    await world.start(root.agent, { childId });
    await world.driver.turn('worker');
    await root.close();
    const [notice] = await noticesOf(world, root.id);
    expect(notice).toMatchObject({ messageId: `${childId}:1`, wakes: false });
    expect(world.driver.turnsOf('root')).toEqual([]);
    expect(await world.store.inner.pending(), 'it is nothing that recovery would wake anybody for').toEqual([]);
    const reopened = await world.openRoot({ id: root.id });
    await world.rest();
    expect(world.driver.turnsOf('root')).toEqual([]);
    await reopened.ask('what happened?');
    expect(world.driver.turnsOf('root').map(({ input }) => input.map(({ content }) => textOf(content)))).toEqual([
      ['Partial text:\nhalf', 'what happened?'],
    ]);
    expect(await world.logOf(root.id, 'inbox/discarded')).toEqual([]);
  });

  test('a child below it gets the notices of its own children the same way (S3.9)', async () => {
    const world = openWorld();
    world.driver.script('middle', [
      async ({ agent }) => void (await world.start(agent, { label: 'leaf', childId: toSessionId('leaf') })),
      waitsAt(),
    ]);
    world.driver.script('leaf', [waitsAt()]);
    const root = await world.openRoot();
    const middle = await world.start(root.agent, { label: 'middle', childId });
    await world.driver.turn('leaf');
    await world.rest();
    await middle.dispose();
    expect(await noticesOf(world, childId)).toMatchObject([{ messageId: 'leaf:1', wakes: false }]);
    expect(world.driver.turnsOf('middle')).toHaveLength(1);
    await world.runtime.sendMessage(root.agent, childId, hello);
    const turn = await world.driver.turn('middle', 2);
    expect(turn.input.map(({ source }) => source.kind)).toEqual(['subagent-settled', 'agent-message']);
  });

  test('a host-run parent that leaves is told that the notice wakes nobody (S3.9)', async () => {
    const world = openWorld();
    const delivered: InboxMessage[] = [];
    const place = gate();
    world.driver.script('worker', [waitsAt(place)], [waitsAt()]);
    const host = await world.attachRoot({ deliver: (message) => void delivered.push(message) });
    const first = await world.start(host.agent, { childId });
    await place.reached;
    place.open();
    await first.result;
    await world.start(host.agent);
    await world.driver.turn('worker', 2);
    await host.close();
    expect(delivered.map(({ wakes, source }) => [wakes, source.kind])).toEqual([
      [true, 'subagent-settled'],
      [false, 'subagent-settled'],
    ]);
  });

  test('one that is gone already is no error: the child ends, and owes the notice (S3.9)', async () => {
    const world = openWorld({ limits: { disposeMs: 100_000, drainMs: 1_000 } });
    const place = gate();
    world.driver.onRelease = (agent) => (agent.label === 'worker' ? place.pass() : undefined);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    await place.reached;
    const closing = root.close().catch(() => undefined);
    await world.advance(1_000);
    await closing;
    expect(world.isResident(root.id)).toBe(false);
    place.open();
    expect((await child.result).stopReason).toBe('completed');
    const reopened = await world.openRoot({ id: root.id });
    await world.runtime.recover();
    expect((await noticesOf(world, root.id)).map(({ messageId }) => messageId)).toEqual([`${childId}:1`]);
    await reopened.close();
  });
});

describe('a fault after the start still settles (A-1, P01)', () => {
  const faults: readonly (readonly [
    name: string,
    stopReason: string,
    run: (world: World, root: Parameters<World['start']>[0]) => Promise<unknown>,
  ])[] = [
    [
      'its provider’s result rejects with a plain error',
      'error',
      async (world, root) => {
        const remote = scriptedProvider();
        remote.plan({ id: 'faulty' });
        world.runtime.registerProvider(remote);
        await world.start(root, { provider: 'remote', label: 'faulty' });
        (await remote.run()).reject(new Error('plain'));
      },
    ],
    [
      'its driver throws in mid-stream',
      'error',
      async (world, root) => {
        world.expectFaults('driver');
        world.driver.script('faulty', [says('half'), throws(new Error('stream closed'))]);
        await world.start(root, { label: 'faulty', childId: toSessionId('faulty') });
      },
    ],
    [
      'it runs into a limit of its own',
      'max-tokens',
      async (world, root) => {
        world.driver.script('faulty', [says('half'), ends('max-tokens')]);
        await world.start(root, { label: 'faulty', childId: toSessionId('faulty') });
      },
    ],
    [
      'it is stopped by hand',
      'aborted',
      async (world, root) => {
        world.driver.script('faulty', [waitsAt()]);
        const child = await world.start(root, { label: 'faulty', childId: toSessionId('faulty') });
        await child.dispose();
      },
    ],
  ];

  test.each(faults)(
    'when %s the parent gets exactly two notices, is woken by itself, and sees nobody running (A-1)',
    async (_, stopReason, run) => {
      const world = openWorld();
      world.driver.script('good', [says('ok')]);
      const root = await world.openRoot();
      let isRun = false;
      world.driver.script('root', [
        async ({ agent }) => {
          await world.start(agent, { label: 'good', childId: toSessionId('good') });
          await run(world, agent);
          isRun = true;
        },
      ]);
      await root.ask('delegate');
      await world.advance(1_000);
      expect(isRun).toBe(true);
      const notices = await noticesOf(world, root.id);
      expect(
        new Map(
          notices.map(({ source }) =>
            source.kind === 'subagent-settled' ? [source.senderSessionId, source.summary] : [],
          ) as never,
        ),
      ).toEqual(
        new Map([
          ['good', 'good ended: completed'],
          ['faulty', `faulty ended: ${stopReason}`],
        ]),
      );
      expect(notices).toHaveLength(2);
      const claimed = (await world.logOf(root.id, 'inbox/claimed')).flatMap(({ data }) => data.messageIds);
      for (const { messageId } of notices) expect(claimed).toContain(messageId);
      expect(world.live).toBe(0);
      expect(await world.runtime.waitForChildren(root.agent)).toBe(false);
    },
  );
});

test('completion goes to the agent that delegated, each time, and to nobody above it (A-3)', async () => {
  const world = openWorld();
  const grandchild = toSessionId('grandchild');
  world.driver.script('middle', [
    async ({ agent }) => void (await world.start(agent, { label: 'leaf', childId: grandchild })),
    says('delegated'),
  ]);
  world.driver.script(
    'middle',
    [async ({ agent }) => void (await world.runtime.sendMessage(agent, grandchild, hello)), says('followed up')],
    [says('all done')],
  );
  const root = await world.openRoot();
  const middle = await world.start(root.agent, { label: 'middle', childId });
  expect(await middle.result).toMatchObject({ output: [{ text: 'all done' }], stopReason: 'completed' });
  await world.rest();
  expect((await noticesOf(world, childId)).map(({ messageId }) => messageId)).toEqual([`${grandchild}:1`, `${grandchild}:2`]);
  expect((await noticesOf(world, root.id)).map(({ messageId }) => messageId)).toEqual([`${childId}:1`]);
  expect(world.driver.turnsOf('middle')).toHaveLength(3);
  expect(world.driver.turnsOf('root')).toHaveLength(1);
});
