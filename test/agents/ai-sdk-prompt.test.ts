import { describe, expect, test } from 'vitest';
import type { TranscriptEntry } from '../../src/sessions/content.ts';
import { drive, toolOf } from '../support/drive.ts';
import { fakeTurn } from '../support/fake-turn.ts';
import { asks, call, finish, type ModelPart, says, scriptedModel } from '../support/scripted-model.ts';

const go: TranscriptEntry = { role: 'user', content: [{ type: 'text', text: 'go' }] };

async function promptFor(...history: TranscriptEntry[]) {
  const model = scriptedModel(says('ok'));
  await drive(fakeTurn({ history }), model);
  return model.prompts[0];
}

describe('the prompt of the AI SDK driver', () => {
  test('it starts with the instructions, if there are any', async () => {
    const model = scriptedModel(says('ok'));
    await drive(fakeTurn({ instructions: 'be brief' }), model);
    expect(model.prompts[0]?.[0]).toMatchObject({ role: 'system', content: 'be brief' });
    expect((await promptFor(go))?.map(({ role }) => role)).toEqual(['user']);
  });

  test('it shows an image beside its text (S3.7)', async () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
    const prompt = await promptFor({ role: 'user', content: [{ type: 'text', text: 'what is this?' }, image] });
    expect(prompt?.[0]?.content).toMatchObject([
      { type: 'text', text: 'what is this?' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
    ]);
  });

  test('it shows text, JSON, error text and error JSON of tools each as what it is', async () => {
    const call = (callId: string) => ({ type: 'tool-call', callId, toolName: 'look', input: {} }) as const;
    const result = (callId: string) => ({ type: 'tool-result', callId, toolName: 'look' }) as const;
    const prompt = await promptFor(
      go,
      { role: 'assistant', content: ['a', 'b', 'c', 'd', 'e'].map(call) },
      {
        role: 'tool',
        content: [
          { ...result('a'), output: 'words' },
          { ...result('b'), output: { n: 1 } },
          { ...result('c'), output: 'no', isError: true },
          { ...result('d'), output: { code: 7 }, isError: true },
          { ...result('e'), output: null },
        ],
      },
    );
    expect(prompt?.[2]?.content).toMatchObject([
      { toolCallId: 'a', toolName: 'look', output: { type: 'text', value: 'words' } },
      { output: { type: 'json', value: { n: 1 } } },
      { output: { type: 'error-text', value: 'no' } },
      { output: { type: 'error-json', value: { code: 7 } } },
      { output: { type: 'json', value: null } },
    ]);
  });

  test('it leaves out messages without content, which providers refuse', async () => {
    expect(await promptFor(go, { role: 'assistant', content: [] }, { role: 'user', content: [] })).toHaveLength(1);
  });

  test('it asks for the history once and extends it itself', async () => {
    const turn = fakeTurn({ tools: [toolOf('look', () => ({ n: 1 }))] });
    const { history } = turn;
    let reads = 0;
    const counted = Object.assign(turn, {
      history() {
        reads += 1;
        return history();
      },
    });
    const model = scriptedModel(asks(call('c1', 'look', { at: 'sea' })), says('ok'));
    await drive(counted, model);
    expect(reads).toBe(1);
    expect(model.prompts[1]).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { at: 'sea' } }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', output: { type: 'json', value: { n: 1 } } }] },
    ]);
  });
});

describe('what a vendor attaches to a block', () => {
  const signed = { anthropic: { signature: 'sig-1' } };
  const id = { openai: { itemId: 'item-1' } };
  const parts = [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'let me ' },
    { type: 'reasoning-delta', id: 'r', delta: 'think' },
    { type: 'reasoning-end', id: 'r', providerMetadata: signed },
    { type: 'text-start', id: 't', providerMetadata: id },
    { type: 'text-delta', id: 't', delta: 'I look' },
    { type: 'text-end', id: 't' },
    { ...call('c1', 'look'), providerMetadata: { google: { thoughtSignature: 'sig-2' } } },
  ] as ModelPart[];

  test('it is recorded with the block and goes back with it, in the same turn', async () => {
    const turn = fakeTurn({ tools: [toolOf('look', () => 'seen')] });
    const model = scriptedModel(asks(...parts), says('ok'));
    await drive(turn, model);
    expect(turn.log[0]?.content).toEqual([
      { type: 'reasoning', text: 'let me think', vendor: signed },
      { type: 'text', text: 'I look', vendor: id },
      { type: 'tool-call', callId: 'c1', toolName: 'look', input: {}, vendor: { google: { thoughtSignature: 'sig-2' } } },
    ]);
    expect(model.prompts[1]?.[1]?.content).toMatchObject([
      { type: 'reasoning', text: 'let me think', providerOptions: signed },
      { type: 'text', text: 'I look', providerOptions: id },
      { type: 'tool-call', providerOptions: { google: { thoughtSignature: 'sig-2' } } },
    ]);
    expect(turn.deltas.filter(({ type }) => type === 'reasoning')).toHaveLength(2);
  });

  test('it goes back in a later turn', async () => {
    const first = fakeTurn({ tools: [toolOf('look', () => 'seen')] });
    await drive(first, scriptedModel(asks(...parts), says('ok')));
    const model = scriptedModel(says('hello again'));
    await drive(fakeTurn({ history: [go, ...first.log, go] }), model);
    expect(model.prompts[0]?.[1]?.content[0]).toMatchObject({ type: 'reasoning', providerOptions: signed });
  });

  test('it keeps a block that says nothing to people: hidden reasoning', async () => {
    const turn = fakeTurn();
    const hidden = { anthropic: { redactedData: 'xyz' } };
    const redacted = [
      { type: 'reasoning-start', id: 'r', providerMetadata: hidden },
      { type: 'reasoning-end', id: 'r' },
      { type: 'text-start', id: 't' },
      { type: 'text-end', id: 't' },
    ] as ModelPart[];
    await drive(turn, scriptedModel([...redacted, finish('stop')]));
    expect(turn.log[0]?.content).toEqual([{ type: 'reasoning', text: '', vendor: hidden }]);
  });
});
