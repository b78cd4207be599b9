import { expect, test } from 'vitest';
import { toAiSdkTools } from '../../src/agents/drivers/ai-sdk.ts';
import { drive, toolOf } from '../support/drive.ts';
import { fakeTurn } from '../support/fake-turn.ts';
import { asks, call, scriptedModel } from '../support/scripted-model.ts';

/** What a tool server may send: a validator for it would answer with a promise, and reject it unheard. */
const asynchronous = toolOf('odd', () => 'ran', { type: 'object', $async: true, required: ['x'] });

test('a tool with an asynchronous schema ends the turn with a word on it, before any model is called (P31, S7)', async () => {
  const turn = fakeTurn({ tools: [asynchronous] });
  const model = scriptedModel(asks(call('c', 'odd', {})));
  expect(await drive(turn, model)).toEqual({
    stopReason: 'error',
    diagnostic: 'the input schema of tool odd cannot be used',
  });
  expect(model.prompts).toEqual([]);
});

test('it is refused for a loop of the host as well (P31, S7)', () => {
  expect(() => toAiSdkTools([asynchronous], fakeTurn().agent)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});
