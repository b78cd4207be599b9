/** Runs the embedded model in a plain tool loop, without a runtime: what it decides depends on nothing else. */
import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import { surveyModel } from '../../../cli/survey/model.ts';

export type ToolRun = (input: unknown) => unknown;

export interface Conversed {
  readonly text: string;
  /** Why the last call ended. */
  readonly finish: string;
  readonly prompt: LanguageModelV4Prompt;
  /** The calls of each step, in order. */
  readonly steps: readonly (readonly { readonly toolName: string; readonly input: unknown }[])[];
}

const stepsMax = 60;

/** What a tool throws becomes a tool error, as with the driver. */
export async function converse(
  text: string,
  tools: Readonly<Record<string, ToolRun>>,
  before: LanguageModelV4Prompt = [],
): Promise<Conversed> {
  const prompt: LanguageModelV4Prompt = [...before, { role: 'user', content: [{ type: 'text', text }] }];
  const steps: { toolName: string; input: unknown }[][] = [];
  const model = surveyModel();
  for (let step = 0; step < stepsMax; step++) {
    const { content, finishReason } = await model.doGenerate({ prompt, tools: Object.keys(tools).map(toDefinition) });
    const calls = content.filter((part) => part.type === 'tool-call');
    const said = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    if (calls.length === 0) {
      prompt.push({ role: 'assistant', content: [{ type: 'text', text: said }] });
      return { text: said, finish: finishReason.unified, prompt, steps };
    }
    const made = calls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input: JSON.parse(input) as unknown }));
    steps.push(made);
    prompt.push({
      role: 'assistant',
      content: [{ type: 'text', text: said }, ...made.map((call) => ({ type: 'tool-call' as const, ...call }))],
    });
    const results = await Promise.all(
      made.map(async ({ toolCallId, toolName, input }) => ({
        type: 'tool-result' as const,
        toolCallId,
        toolName,
        output: await outputOf(tools[toolName], input),
      })),
    );
    prompt.push({ role: 'tool', content: results });
  }
  throw new Error(`the model did not come to an end in ${stepsMax} steps`);
}

async function outputOf(run: ToolRun | undefined, input: unknown): Promise<LanguageModelV4ToolResultOutput> {
  try {
    const value = await run?.(input);
    return typeof value === 'string' ? { type: 'text', value } : { type: 'json', value: JSON.parse(JSON.stringify(value)) };
  } catch (error) {
    return { type: 'error-text', value: (error as Error).message };
  }
}

function toDefinition(name: string): LanguageModelV4FunctionTool {
  const properties = name === 'delegate' ? { description: {}, prompt: {}, run_in_background: {} } : {};
  return { type: 'function', name, inputSchema: { type: 'object', properties } };
}
