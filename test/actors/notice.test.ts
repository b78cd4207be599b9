/** S3.9: the word that a parent gets when an activation of a child is over. */
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { gate } from '../support/gate.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { ends, says, submits, takesSteering, waitsAt } from '../support/scripted-steps.ts';
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
