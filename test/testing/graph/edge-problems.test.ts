/** The test that closes a suite: what no path takes, and what is said about it. */
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import { pathSuite } from '../../../src/testing/index.ts';
import { messages } from './support.ts';

describe('the test of all edges', () => {
  const never = setup({ guards: { isNever: () => false } }).createMachine({
    id: 'gate',
    initial: 'shut',
    states: {
      shut: { on: { KNOCK: [{ guard: 'isNever', target: 'open' }, { actions: () => undefined }] }, after: { 9: 'open' } },
      open: { on: { '*': 'shut' } },
    },
  });
  const handlers = { events: { '*': () => undefined } };
  const locked = 'shut: KNOCK [isNever] -> open';
  const knock = 'shut: KNOCK / inline -> (stays)';
  const timer = 'shut: xstate.after.9.gate.shut -> open';
  const any = 'open: * -> shut';

  test('names every edge that no path takes, and what would help', async () => {
    expect(await messages(pathSuite(never, { test: handlers }))).toEqual([
      [
        'takes every edge of gate: no path of gate takes 3 of 4 edges:',
        `  ${locked}`,
        `  ${timer} (set \`includesActorsAndTimers\`, or give the event in \`events\`)`,
        `  ${any} (give an event that it matches in \`events\`)`,
      ].join('\n'),
    ]);
  });

  test('passes when what is missed is listed with a reason', async () => {
    const unreachable = { [locked]: 'kept for later', [timer]: 'not part of this test', [any]: 'as above' };
    expect(await messages(pathSuite(never, { test: handlers, unreachable }))).toEqual([]);
  });

  test('fails for a listed edge that is taken, that is gone, or that has no reason', async () => {
    const unreachable = {
      [locked]: '',
      [timer]: 'out of scope',
      [any]: 'out of scope',
      [knock]: 'wrong',
      'shut: PUSH -> open': 'old',
    };
    expect(await messages(pathSuite(never, { test: handlers, unreachable }))).toEqual([
      [
        'takes every edge of gate: listed as unreachable, but a path takes:',
        `  ${knock}`,
        'listed as unreachable, but no edge of gate:',
        '  shut: PUSH -> open',
        'listed as unreachable without a reason:',
        `  ${locked}`,
      ].join('\n'),
    ]);
  });
});
