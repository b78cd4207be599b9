import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import { textOf } from '../../src/sessions/content.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { gate } from '../support/gate.ts';
import { scriptedLocalProvider, scriptedProvider } from '../support/scripted-provider.ts';
import { ends, says, throws, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

describe('startActivation', () => {
  test('it starts local, seeded and external children by one call (S1.1)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const started = [];
    for (const provider of ['spawn', 'fork', 'remote']) {
      started.push(await world.start(root.agent, { provider, label: provider, delivery: 'caller' }));
    }
    (await remote.run()).settle();
    const ends = await Promise.all(started.map(({ result }) => result));
    expect(ends.map(({ stopReason }) => stopReason)).toEqual(['completed', 'completed', 'completed']);
    expect(world.events.lives().filter((life) => life.startsWith('start'))).toEqual([
      'start spawn',
      'start fork',
      'start remote',
    ]);
  });

  test('it hands an external provider the whole request, resolved, and shares its prompt with nobody (S1.2)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    const prompt = [{ type: 'text' as const, text: 'look' }];
    const outputSchema = { type: 'object', properties: {} } as const;
    await world.start(root.agent, {
      ...{ provider: 'remote', label: 'far', prompt, cwd: 'sub', agentPreset: undefined, outputSchema, maxDepth: 2 },
      agentOptions: { model: 'm' },
    } as never);
    const [request] = remote.requests;
    expect(request).toMatchObject({
      cwd: '/project/sub',
      label: 'far',
      prompt,
      outputSchema,
      maxDepth: 2,
      agentOptions: { model: 'm' },
    });
    expect(request?.parent).toBe(root.agent);
    expect(request?.prompt).not.toBe(prompt);
    expect(request && 'agentPreset' in request).toBe(false);
  });

  test('it resolves when the prompt is in the log and before the turn begins, with the id of that message (S1.3)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const { events } = world;
    const child = await world.start(root.agent, { label: 'worker', prompt: 'do it' });
    const [prompt] = await world.logOf(child.childId, 'inbox/inserted');
    expect(prompt?.data).toMatchObject({ messageId: child.messageId, lane: 'turn', wakes: true });
    expect(textOf(prompt?.data.content ?? [])).toBe('do it');
    expect(events.of('agent/inbox/inserted').map(({ messageId }) => messageId)).toEqual([child.messageId]);
    expect(world.driver.turns).toEqual([]);
  });

  test('it resolves for an external child when the provider has started it, without a message id (S1.3)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    const place = gate();
    remote.plan({ startAt: place });
    world.runtime.registerProvider(remote);
    const root = await world.openRoot();
    let isStarted = false;
    const starting = world.start(root.agent, { provider: 'remote' }).then((child) => {
      isStarted = true;
      return child;
    });
    await place.reached;
    await world.rest();
    expect(isStarted).toBe(false);
    place.open();
    const child = await starting;
    expect(child.childId).toBe('remote-1');
    expect('messageId' in child).toBe(false);
  });

  test('it gives the reserved id to the child and always its message id with it (S1.9)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const childId = toSessionId('reserved-1');
    const child = await world.runtime.startActivation({
      ...{ provider: 'spawn', label: 'worker', childId, signal: new AbortController().signal, delivery: 'parent' },
      request: { parent: root.agent, prompt: [{ type: 'text', text: 'go' }] },
    });
    const messageId: string = child.messageId; // required by its type
    expect(child.childId).toBe(childId);
    expect((await world.logOf(childId, 'inbox/inserted')).map(({ data }) => data.messageId)).toEqual([messageId]);
  });

  test.each([
    ['natural end', [says('fine')], 'completed', undefined],
    ['refusal', [ends('refusal', 'will not')], 'refusal', 'will not'],
    ['token ceiling', [says('half'), ends('max-tokens', 'ran out')], 'max-tokens', 'ran out'],
    ['failure that the driver states', [ends('error', 'model is away')], 'error', 'model is away'],
    ['failure that the driver throws', [throws(new Error('secret detail'))], 'error', 'the agent driver failed'],
  ] as const)('it resolves the result of a child with a %s (S1.4)', async (_, steps, stopReason, diagnostic) => {
    const world = openWorld();
    if (stopReason === 'error' && diagnostic === 'the agent driver failed') world.expectFaults('driver');
    world.driver.script('worker', [...steps]);
    const root = await world.openRoot();
    const child = await world.start(root.agent);
    const result = await child.result;
    expect(result.stopReason).toBe(stopReason);
    expect(result.diagnostic).toBe(diagnostic);
    await expect(child.dispose()).resolves.toBeUndefined();
  });

  test('it settles the result only when the child is torn down and its parent told (S1.4)', async () => {
    const world = openWorld();
    const place = gate();
    world.driver.onRelease = (agent) => (agent.label === 'worker' ? place.pass() : undefined);
    const root = await world.openRoot();
    const child = await world.start(root.agent);
    let isSettled = false;
    const settling = child.result.then(() => {
      isSettled = true;
    });
    await place.reached;
    await world.rest();
    expect(isSettled).toBe(false);
    world.store.inject({ at: { method: 'append', session: root.id, event: 'inbox/inserted' }, fault: 'hang' });
    place.open();
    await world.store.reached({ method: 'append', session: root.id, event: 'inbox/inserted' });
    await world.rest();
    expect(isSettled).toBe(false);
    world.store.release();
    await settling;
    expect(world.isResident(child.childId)).toBe(false);
    expect(await world.inserted(root.id)).toEqual(['Final text:\nok']);
  });

  test('it refuses a request of the wrong shape with a code and creates nothing', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    const { signal } = new AbortController();
    const good = { provider: 'spawn', label: 'worker', signal, delivery: 'parent' as const };
    const request = { parent: root.agent, prompt: [{ type: 'text' as const, text: 'go' }] };
    const bad: unknown[] = [
      undefined,
      {},
      { ...good },
      { ...good, request: null },
      { ...good, request, signal: undefined },
      { ...good, request, delivery: 'nobody' },
      { ...good, request, label: '' },
      { ...good, request, label: 'x'.repeat(201) },
      { ...good, request, label: 7 },
      { ...good, request: { ...request, prompt: [] } },
      { ...good, request: { ...request, prompt: 'go' } },
      { ...good, request: { ...request, prompt: [{ type: 'text' }] } },
      { ...good, request: { ...request, prompt: [{ type: 'video', data: '' }] } },
      { ...good, request: { ...request, prompt: [null] } },
      { ...good, request: { ...request, cwd: '' } },
      { ...good, request: { ...request, cwd: 'a\0b' } },
      { ...good, request: { ...request, maxDepth: 1.5 } },
      { ...good, request: { ...request, agentOptions: { model: 7 } } },
      { ...good, request: { ...request, agentOptions: { modle: 'm' } } },
      { ...good, request: { ...request, agentOptions: { maxTokens: 0 } } },
      { ...good, request: { ...request, outputSchema: { type: 'string' } } },
      { ...good, request: { ...request, outputSchema: { type: 'object', properties: 7 } } },
      { ...good, request, childId: '../up' },
      { ...good, request, childId: 'UPPER' },
    ];
    const writes = world.store.writes;
    for (const spec of bad) {
      expect(await codeOf(world.runtime.startActivation(spec as never)), JSON.stringify(spec)).toBe('INVALID_ARGUMENT');
    }
    expect(world.store.writes).toBe(writes);
    expect(world.live).toBe(0);
    expect(world.events.all.filter(({ type }) => type.startsWith('subagent/start'))).toEqual([]);
  });

  test('it takes only the exact live agent as parent, not a copy of it, not one that has left (S1.2)', async () => {
    const world = openWorld();
    const root = await world.openRoot();
    expect(await codeOf(world.start({ ...root.agent, cwd: '/project' }))).toBe('PARENT_UNAVAILABLE');
    expect(await codeOf(world.start(undefined as never))).toBe('PARENT_UNAVAILABLE');
    await root.close();
    expect(await codeOf(world.start(root.agent))).toBe('PARENT_UNAVAILABLE');
  });

  test('it answers the caller with the error of a provider that fails to prepare, as an error of the library (S1.6)', async () => {
    const world = openWorld();
    world.runtime.registerProvider(
      scriptedLocalProvider(() => {
        throw new Error('no');
      }),
    );
    const root = await world.openRoot();
    const starting = world.start(root.agent, { provider: 'local' });
    await expect(starting).rejects.toBeInstanceOf(SubagentError);
    await expect(starting).rejects.toMatchObject({ code: 'PROVIDER_FAILED', cause: { message: 'no' } });
    expect(world.live).toBe(0);
    expect(await world.runtime.listChildren(root.id)).toEqual([]);
  });

  test('it answers the caller with an error of the library when the driver will not run with the options', async () => {
    const world = openWorld();
    world.driver.onValidate = (options) => {
      if (options.model === 'none') throw new Error('no such model');
    };
    const root = await world.openRoot();
    const starting = world.start(root.agent, { agentOptions: { model: 'none' } });
    await expect(starting).rejects.toBeInstanceOf(SubagentError);
    await expect(starting).rejects.toMatchObject({ cause: { message: 'no such model' } });
    expect(world.live).toBe(0);
  });

  test('it takes the label as one line without control characters', async () => {
    const world = openWorld();
    world.driver.otherwise(waitsAt());
    const root = await world.openRoot();
    const child = await world.start(root.agent, { label: ' a\u001b[31mb\nc\u202e ' });
    expect((await world.runtime.listChildren(root.id)).map(({ label }) => label)).toEqual(['a [31mb c']);
    expect(world.resident(child.childId).agent.label).toBe('a [31mb c');
  });
});
