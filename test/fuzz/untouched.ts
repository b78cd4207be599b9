/** What must be as it was after a refusal: everything that a runtime keeps, and the language itself. */
import { expect } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import type { World } from '../support/world.ts';
import { pollution } from './hostile.ts';

/** A refusal may hold words of others; nobody wants to read more of them than this, in bytes of UTF-8. */
const refusalBytesMax = 2_000;
const control = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** The code with which `work` was refused, `done`, or what escaped. A refusal is an error of the library, short and printable. */
export async function outcomeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (!(error instanceof SubagentError)) return `escaped: ${(error as Error)?.stack ?? String(error)}`;
    if (Buffer.byteLength(error.message) > refusalBytesMax) return `too long: ${error.message.slice(0, 200)}`;
    if (control.test(error.message)) return `not printable: ${JSON.stringify(error.message)}`;
    return error.code;
  }
}

/**
 * Runs `work`, which succeeds or is refused with a code. After a refusal nothing was written, nobody came or went, and no place is
 * taken. Returns the code, or `done`.
 */
export async function refusedOrDone(world: World, work: () => unknown): Promise<string> {
  const before = stateOf(world);
  const outcome = await outcomeOf(work);
  expect(outcome).toMatch(/^(done|[A-Z_]+|subagent\/delivery-unavailable)$/);
  expect(pollution()).toEqual([]);
  if (outcome !== 'done') expect(stateOf(world)).toEqual(before);
  return outcome;
}

function stateOf(world: World) {
  const residents = [...world.registry.residents.values()];
  return {
    writes: world.store.writes,
    live: world.live,
    residents: residents.map(({ id }) => id),
    externals: [...world.registry.externals.keys()],
    started: residents.map(({ startedChildren }) => startedChildren),
    waiting: residents.map(({ inboxMessages, inboxBytes }) => `${inboxMessages} messages, ${inboxBytes} bytes`),
  };
}
