/** What the host gives is checked at the door, before anything is created. */
import { describe, expect, test } from 'vitest';
import { aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import { createRuntime } from '../../src/index.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { codeOf } from '../support/code-of.ts';
import { openWorld } from '../support/world.ts';

describe('createRuntime refuses with INVALID_ARGUMENT', () => {
  test.each([
    ['a limit that does not exist', { limits: { drainMS: 5 } }],
    ['a bound of capacity that does not exist', { capacity: { perroot: 5 } }],
    ['a name that every object has', { limits: { toString: 5 } }],
    ['a store that is none', { store: {} }],
    ['a store without one of the methods', { store: Object.assign(memoryStore(), { roots: undefined }) }],
    ['a store that does not say how long a lease holds', { store: Object.assign(memoryStore(), { leaseMs: undefined }) }],
  ])('%s', async (_, options) => {
    expect(await codeOf(() => createRuntime(options as never))).toBe('INVALID_ARGUMENT');
  });
});

test.each([undefined, null, {}])('openAgent(%j) and attachAgent(%j) reject INVALID_ARGUMENT', async (setup) => {
  const { runtime } = openWorld();
  expect(await codeOf(runtime.openAgent(setup as never))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(runtime.attachAgent(setup as never))).toBe('INVALID_ARGUMENT');
});

test.each([undefined, null, {}])('aiSdkDriver(%j) throws INVALID_ARGUMENT', async (options) => {
  expect(await codeOf(() => aiSdkDriver(options as never))).toBe('INVALID_ARGUMENT');
});

test('a message that says nothing is refused: texts that are all empty, and no image', async () => {
  const world = openWorld();
  world.driver.isSeeing = true;
  const root = await world.openRoot();
  const empty = { type: 'text', text: '' } as const;
  expect(await codeOf(root.prompt(''))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(root.inject([empty, empty]))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(world.start(root.agent, { prompt: '' }))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(root.prompt([empty, { type: 'text', text: 'hi' }]))).toBe('done');
  expect(await codeOf(root.prompt([empty, { type: 'image', mediaType: 'image/png', data: 'aa' }]))).toBe('done');
});
