/** S3.7, P15: a request that is repeated, and callers that give up. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toSessionId } from '../../src/sessions/ids.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { tempFolder } from '../sessions/temp-folder.ts';
import { codeOf } from '../support/code-of.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { countedIds, openWorld, type WorldSetup } from '../support/world.ts';
import { childId, fates, onlyOf, prompter, running, text } from './prompting.ts';

describe('a repeated request (S3.7, P15)', () => {
  test('it is delivered once: at the same time, while it waits, after it was claimed, and after the child has ended (S3.7)', async () => {
    const { world, child, place, prompt } = await running();
    const ids = await Promise.all([prompt('r'), prompt('r'), prompt('r', { delivery: 'steer', content: text('other words') })]);
    ids.push(await prompt('r'));
    place.open();
    await child.result;
    await world.gone(childId);
    ids.push(await prompt('r'));
    expect(new Set(ids)).toEqual(new Set(['request:r']));
    expect(onlyOf(await fates(world), 'r')).toEqual(['in request:r', 'out request:r']);
    expect(world.isResident(childId), 'a repeat wakes nobody').toBe(false);
  });

  test('it is delivered once when the repeat comes after a restart, with the message claimed or still waiting (S3.7, S10.1)', async () => {
    const path = join(tempFolder('quick'), 'store.db');
    const open = (prefix: string, leaseMs = 1_000) =>
      ({ ids: countedIds(prefix), store: (clock) => sqliteStore({ path, clock, leaseMs }) }) satisfies WorldSetup;
    const before = await running(open('a'));
    await before.prompt('claimed', { delivery: 'steer' });
    before.place.open();
    await before.child.result;
    await before.world.close();
    await before.world.store.inner.close();
    const world = openWorld(open('b'));
    await world.openRoot({ id: 'root' });
    expect(await prompter(world)('claimed')).toBe('request:claimed');
    expect(await prompter(world)('claimed')).toBe('request:claimed');
    expect(onlyOf(await fates(world), 'claimed')).toEqual(['in request:claimed', 'out request:claimed']);
    await prompter(world)('new');
    expect(onlyOf(await fates(world), 'new')[0]).toBe('in request:new');
    await world.gone(childId);
    await world.close();
    await world.store.inner.close();
  });

  test('it is known again while another message brings the child back (S3.7)', async () => {
    const { world, root, child, place, prompt } = await running();
    await prompt('r');
    place.open();
    await child.result;
    await world.gone(childId);
    const at = { method: 'claim', session: childId } as const;
    world.store.inject({ at, fault: 'hang' });
    const sending = world.runtime.sendMessage(root.agent, childId, text('back'));
    await world.store.reached(at);
    const repeating = prompt('r');
    await world.rest();
    world.store.release();
    expect(await repeating).toBe('request:r');
    await sending;
    await world.gone(childId);
    expect(onlyOf(await fates(world), 'r')).toEqual(['in request:r', 'out request:r']);
  });

  test('an id that a fork inherited from its parent is no repeat (S3.7, P15)', async () => {
    const { world, child, place, prompt } = await running();
    const fork = toSessionId('fork');
    world.driver.script('worker', [
      async ({ agent }) => void (await world.start(agent, { provider: 'fork', label: 'fork', childId: fork })),
      waitsAt(),
    ]);
    world.driver.script('fork', [waitsAt()]);
    await prompt('r', { delivery: 'steer' });
    place.open();
    await prompt('next');
    await world.driver.turn('fork');
    expect(onlyOf(await fates(world, fork), 'r')).toHaveLength(2);
    await prompt('r', { parentId: childId, childId: fork });
    expect(onlyOf(await fates(world, fork), 'r')).toHaveLength(3);
    await child.dispose();
  });

  test('the same id for two children is two requests, and ids cannot be made to meet (S3.7, P33)', async () => {
    const { world, root, prompt } = await running();
    world.driver.script('second', [waitsAt()]);
    await world.start(root.agent, { label: 'second', childId: toSessionId('second') });
    await Promise.all([prompt('r'), prompt('r', { childId: 'second' })]);
    expect(onlyOf(await fates(world), 'r')).toHaveLength(1);
    expect(onlyOf(await fates(world, 'second'), 'r')).toHaveLength(1);
    const both = await Promise.all([prompt('x y'), codeOf(prompt('y', { childId: `${childId} x` }))]);
    expect(both).toEqual(['request:x y', 'UNAUTHORIZED']);
    const wrong = await Promise.all([prompt('z'), codeOf(prompt('z', { parentId: 'second' }))]);
    expect(wrong).toEqual(['request:z', 'UNAUTHORIZED']);
  });
});

describe('the signal of a prompt (S3.7)', () => {
  test('one that has fired refuses; one that fires while the child is brought back cancels; one that fires afterwards does nothing', async () => {
    const { world, child, place, prompt } = await running();
    expect(await codeOf(prompt('r0', {}, AbortSignal.abort()))).toBe('CANCELLED');
    place.open();
    await child.result;
    await world.gone(childId);
    const abort = new AbortController();
    world.store.inject({ at: { method: 'claim', session: childId }, fault: 'hang' });
    const cancelled = codeOf(prompt('r1', {}, abort.signal));
    await world.store.reached({ method: 'claim', session: childId });
    abort.abort();
    world.store.release();
    expect(await cancelled).toBe('CANCELLED');
    await world.gone(childId);
    const late = new AbortController();
    await prompt('r2', {}, late.signal);
    late.abort();
    await world.gone(childId);
    expect((await fates(world)).filter((fate) => fate.includes('request'))).toEqual(['in request:r2', 'out request:r2']);
  });

  test('it ends the wait for a store that does not answer a read (S3.7, P24)', async () => {
    const { world, child, place, prompt } = await running();
    place.open();
    await child.result;
    await world.gone(childId);
    world.store.inject({ at: { method: 'children' }, fault: 'hang' });
    const abort = new AbortController();
    const prompting = codeOf(prompt('r', {}, abort.signal));
    await world.store.reached({ method: 'children' });
    abort.abort();
    expect(await prompting).toBe('CANCELLED');
  });

  test('of two callers of one request the one that gives up takes nothing from the other (S3.7)', async () => {
    const { world, child, place, prompt } = await running();
    place.open();
    await child.result;
    await world.gone(childId);
    world.store.inject({ at: { method: 'claim', session: childId }, fault: 'hang' });
    const abort = new AbortController();
    const given = codeOf(prompt('r', {}, abort.signal));
    await world.store.reached({ method: 'claim', session: childId });
    const kept = prompt('r');
    const impatient = codeOf(prompt('r', {}, AbortSignal.any([abort.signal])));
    abort.abort();
    world.store.release();
    expect([await given, await impatient, await kept]).toEqual(['CANCELLED', 'CANCELLED', 'request:r']);
    await world.gone(childId);
    expect(onlyOf(await fates(world), 'r')).toEqual(['in request:r', 'out request:r']);
  });
});
