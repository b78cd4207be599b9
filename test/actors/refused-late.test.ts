/** A store that takes its time over a write and then refuses it, while the agent whose turn waits for it is given up (R9, P18). */
import { describe, expect, test } from 'vitest';
import { SubagentError } from '../../src/errors.ts';
import type { SessionEventType } from '../../src/sessions/event.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
const call = { type: 'tool-call', callId: 'c1', toolName: 'look', input: {} } as const;
const result = { type: 'tool-result', callId: 'c1', toolName: 'look', output: 'seen' } as const;

/** The child's first such write hangs until its turn has been given up, and is refused then. */
async function refusedLate(world: World, event: SessionEventType): Promise<void> {
  world.tolerateFaults('turn', 'driver', 'flush');
  const at = { method: 'append', session: childId, event } as const;
  world.store.inject({ at, fault: 'hang' });
  const root = await world.openRoot();
  const child = await world.start(root.agent, { childId });
  await world.store.reached(at);
  const disposed = child.dispose().catch(() => undefined); // a turn that is given up is a failed release
  await world.advance(world.registry.limits.turnStopMs);
  world.store.release(new SubagentError('STORE_FULL', 'full'));
  await world.rest();
  await disposed;
  await world.gone(childId);
}

describe('a write that is refused after its turn was given up', () => {
  test('and that was to begin the turn: there is none to be ended, and its message is dropped with the rest (P05)', async () => {
    const world = openWorld();
    await refusedLate(world, 'turn/started');
    expect(await world.typesOf(childId)).toEqual([
      ...['subagent/descriptor', 'inbox/inserted', 'inbox/discarded', 'activation/ended', 'notice/delivered'],
    ]);
  });

  test('and that was to end the turn: it is ended with the activation (P18)', async () => {
    const world = openWorld();
    await refusedLate(world, 'turn/ended');
    expect((await world.typesOf(childId)).slice(-3)).toEqual(['turn/ended', 'activation/ended', 'notice/delivered']);
    expect(await world.store.inner.pending()).toEqual([]);
  });

  test('and that was the result of a call: the call is closed as interrupted (P18)', async () => {
    const world = openWorld();
    world.driver.script('worker', [
      async (turn) => {
        await turn.record({ role: 'assistant', content: [call] });
        await turn.record({ role: 'tool', content: [result] });
      },
    ]);
    await refusedLate(world, 'tool/results');
    const results = (await world.logOf(childId, 'tool/results')).flatMap(({ data }) => data.content);
    expect(results).toMatchObject([{ callId: 'c1', isInterrupted: true }]);
  });

  test('and that was to claim at a step: what it would have claimed is dropped with the rest (P13)', async () => {
    const world = openWorld();
    world.tolerateFaults('turn');
    world.driver.script('worker', [waitsAt()]);
    const root = await world.openRoot();
    const child = await world.start(root.agent, { childId });
    const { turn } = await world.driver.turn('worker');
    const messageId = await world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text: 'beside' }]);
    world.store.inject({ at: { method: 'append', session: childId, event: 'inbox/claimed' }, fault: 'hang' });
    const steering = turn.takeSteering().catch(() => undefined);
    const disposed = child.dispose().catch(() => undefined);
    await world.advance(world.registry.limits.turnStopMs);
    world.store.release(new SubagentError('STORE_FULL', 'full'));
    await Promise.all([disposed, steering]);
    expect((await world.logOf(childId, 'inbox/discarded')).flatMap(({ data }) => data.messageIds)).toEqual([messageId]);
  });
});

test('a record with two results for one call is refused as a whole (P18)', async () => {
  const world = openWorld();
  const codes: unknown[] = [];
  world.driver.script('root', [
    async (turn) => {
      await turn.record({ role: 'assistant', content: [call] });
      await turn.record({ role: 'tool', content: [result, result] }).catch(({ code }) => void codes.push(code));
      await turn.record({ role: 'tool', content: [result] });
    },
  ]);
  const root = await world.openRoot();
  await root.ask('look');
  expect(codes).toEqual(['INVALID_ARGUMENT']);
  expect((await world.logOf(root.id, 'tool/results')).map(({ data }) => data.content)).toEqual([[result]]);
});
