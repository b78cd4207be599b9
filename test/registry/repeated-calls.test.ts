/** Ids of tool calls are the model's: one that it uses again in a later turn is another call (S8.1, P15). */
import { expect, test } from 'vitest';
import type { Turn } from '../../src/agents/driver.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';
import { afterCrash, crashAt, reopened, rootId, textOfNotices } from './after-crash.ts';

const childId = toSessionId('child-1');
const call = { type: 'tool-call', callId: 'same', toolName: 'delegate', input: {} } as const;
const answer = { type: 'tool-result', callId: 'same', toolName: 'delegate', output: 'answered' } as const;

test('a child whose call has the id of one that was answered before is told of by notice when its caller has died', async () => {
  const before = openWorld();
  const begin = (turn: Turn) =>
    before.runtime.startActivation({
      ...{ provider: 'spawn', label: 'worker', childId, delivery: 'caller', callId: 'same' },
      signal: new AbortController().signal,
      request: { parent: turn.agent, prompt: [{ type: 'text', text: 'go' }] },
    });
  const record = (turn: Turn) => turn.record({ role: 'assistant', content: [call] });
  before.driver.script(
    'root',
    [async (turn) => void (await record(turn)), async (turn) => void (await turn.record({ role: 'tool', content: [answer] }))],
    [async (turn) => void (await record(turn)), async (turn) => void (await begin(turn)), waitsAt()],
  );
  before.driver.script('worker', [says('what it found')]);
  const root = await before.openRoot({ id: rootId });
  await root.ask('first');
  crashAt(before, { method: 'append', session: childId, event: 'activation/ended' }, false);
  await root.prompt('second');
  await before.rest();
  const world = afterCrash(before);
  const again = await reopened(world);
  expect((await world.runtime.recover()).told).toEqual([childId]);
  await again.whenQuiet();
  expect(await textOfNotices(world, rootId)).toEqual(['Final text:\nwhat it found']);
});
