/** What a host gives for its agents to run on, checked at the door: what cannot be written into a log is not found out by a resume. */
import type { AgentComposition } from '../agents/composition.ts';
import { SubagentError } from '../errors.ts';
import { fieldsOf, listOf, reading } from '../sessions/outside.ts';
import { checkedAgentOptions } from './agent-options.ts';

/** Throws `INVALID_ARGUMENT` unless it is a composition: a driver, and where given instructions, tools and options of the right types. */
export function checkComposition(composition: unknown): void {
  const { driver, instructions, tools, options } = fieldsOf(
    composition,
    ['driver', 'instructions', 'tools', 'options'],
    'a composition',
  );
  const { runTurn } = fieldsOf(driver, ['runTurn'], 'the driver of a composition');
  if (typeof runTurn !== 'function') throw invalid('an agent needs a composition with a driver');
  if (instructions !== undefined && typeof instructions !== 'string') throw invalid('the instructions of an agent are a text');
  if (tools !== undefined) listOf(tools, 'the tools of an agent', checkTool);
  checkedAgentOptions(options);
}

/** By name. Throws `INVALID_ARGUMENT`. */
export function checkedPresets(given: unknown): ReadonlyMap<string, AgentComposition> {
  if (given === undefined) return new Map();
  if (typeof given !== 'object' || given === null) throw invalid('the presets are compositions by name');
  const presets = reading('the presets', () => Object.entries(given));
  for (const [, composition] of presets) checkComposition(composition);
  return new Map(presets as [string, AgentComposition][]);
}

function checkTool(tool: unknown): void {
  const { name, execute } = fieldsOf(tool, ['name', 'execute'], 'a tool');
  if (typeof name !== 'string' || name === '' || typeof execute !== 'function')
    throw invalid('a tool has a name and a function that executes it');
}

function invalid(what: string): SubagentError {
  return new SubagentError('INVALID_ARGUMENT', what);
}
