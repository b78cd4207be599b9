/** Our drivers keep the contract that all others are held to. */
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { MockLanguageModelV4 } from 'ai/test';
import { aiSdkDriver } from '../../../src/agents/drivers/ai-sdk.ts';
import { SubagentError } from '../../../src/errors.ts';
import {
  type DriverConformance,
  type DriverScript,
  type ModelAnswer,
  type ShownMessage,
  testDriver,
} from '../../../src/testing/index.ts';
import { registerSuite } from '../../../src/testing/vitest.ts';
import { counted } from '../../support/figures.ts';
import { scriptedDriver } from '../../support/scripted-driver.ts';
import { asks, call, type ModelPart, openSpeech, says, text } from '../../support/scripted-model.ts';
import { does } from '../../support/scripted-steps.ts';
import { loopDriver } from './loop-driver.ts';

holds({
  name: 'the AI SDK driver',
  create: (script) => aiSdkDriver({ model: (options) => modelFor(script, options.model), maxRetries: 0 }),
  refusedOptions: { model: 'unknown' },
});

holds({
  name: 'the scripted driver of our tests',
  create(script) {
    const driver = scriptedDriver();
    driver.otherwise(does((turn) => loopDriver(script).runTurn(turn)));
    return driver;
  },
});

function holds(subject: DriverConformance): void {
  registerSuite(counted(testDriver(subject)));
}

function modelFor(script: DriverScript, name: string | undefined): MockLanguageModelV4 {
  if (name === 'unknown') throw new SubagentError('UNSUPPORTED_CAPABILITY', 'there is no such model');
  return new MockLanguageModelV4({
    async doStream({ prompt }) {
      const speech = speechOf(script.answer(prompt.map(shownMessage)));
      return { stream: speech instanceof ReadableStream ? speech : ReadableStream.from(speech) };
    },
  });
}

let calls = 0;

function speechOf(answer: ModelAnswer): readonly ModelPart[] | ReadableStream<ModelPart> {
  switch (answer.kind) {
    case 'say':
      return says(answer.text);
    case 'call':
      return asks(...answer.calls.map(({ toolName, input }) => call(`call-${++calls}`, toolName, input as never)));
    case 'submit':
      return asks(call(`call-${++calls}`, 'submit_result', answer.value as never));
    case 'cut':
      return says(answer.text, answer.reason === 'refusal' ? 'content-filter' : 'length');
    case 'fail':
      throw answer.error;
    case 'hang':
      return openSpeech(...(answer.text === '' ? [] : text(answer.text))).stream;
  }
}

function shownMessage({ role, content }: LanguageModelV4Prompt[number]): ShownMessage {
  if (typeof content === 'string') return { role, text: content };
  const texts = content.map((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return part.text;
    return part.type === 'tool-result' ? JSON.stringify(part.output) : '';
  });
  return { role, text: texts.join('') };
}
