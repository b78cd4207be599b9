/** Runs one turn of the AI SDK driver and holds it to what every turn must keep: a balanced prompt and a balanced log (P18, I3). */
import { expect } from 'vitest';
import type { TurnEnd } from '../../src/agents/driver.ts';
import { type AiSdkDriverOptions, aiSdkDriver } from '../../src/agents/drivers/ai-sdk.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import { type FakeTurn, imbalanceOfLog } from './fake-turn.ts';
import type { ScriptedModel } from './scripted-model.ts';

export async function drive(
  turn: FakeTurn,
  model: ScriptedModel,
  options: Omit<AiSdkDriverOptions, 'model'> = {},
): Promise<TurnEnd> {
  const end = await aiSdkDriver({ maxRetries: 0, ...options, model }).runTurn(turn);
  expect(model.faults).toEqual([]);
  expect(imbalanceOfLog(turn)).toBeUndefined();
  return end;
}

/** A tool that takes any object. */
export function toolOf(
  name: string,
  execute: AgentTool['execute'],
  inputSchema: AgentTool['inputSchema'] = { type: 'object' },
): AgentTool {
  return { name, description: `does ${name}`, inputSchema, execute };
}
