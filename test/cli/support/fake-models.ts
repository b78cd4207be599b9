/** What a provider package exports, as far as the program looks. */
import { APICallError, type LanguageModelV4, type LanguageModelV4StreamPart } from '@ai-sdk/provider';

export const fake = { languageModel: (modelId: string): LanguageModelV4 => modelOf(modelId) };

function modelOf(modelId: string): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'fake',
    modelId,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('the program streams')),
    async doStream({ tools, prompt }) {
      const status = Number(modelId);
      if (status > 0)
        throw new APICallError({
          message: 'SECRET-KEY',
          url: 'http://localhost',
          requestBodyValues: {},
          statusCode: status,
          isRetryable: false,
        });
      const names = (tools ?? []).map(({ name }) => name).join(', ');
      const hasInstructions = prompt[0]?.role === 'system' && prompt[0].content.includes('You survey folders');
      return { stream: ReadableStream.from(answerParts(`# By ${modelId}\n\ntools: ${names}; instructions: ${hasInstructions}`)) };
    },
  };
}

function answerParts(text: string): LanguageModelV4StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: text },
    { type: 'text-end', id: '1' },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 3, text: 3, reasoning: 0 },
      },
    },
  ];
}
