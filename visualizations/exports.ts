/** Every file that `npm run visualize` makes. The same machines give the same bytes. */
import type { AnyStateMachine } from 'xstate';
import { activationMachine, attachmentMachine, runtimeMachine } from '../src/machines/index.ts';
import { toDefinition, toModule } from './definition.ts';
import { toMermaid } from './mermaid.ts';

export interface Output {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export const machines: readonly AnyStateMachine[] = [activationMachine, attachmentMachine, runtimeMachine];

export function exportedFiles(): Output[] {
  return machines.flatMap((machine) => {
    const path = `visualizations/exports/${machine.id}`;
    return [
      { path: `${path}.json`, text: `${toDefinition(machine)}\n` },
      { path: `${path}.mmd`, text: `${toMermaid(machine)}\n` },
      { path: `${path}.ts`, text: `${toModule(machine)}\n` },
    ];
  });
}

/** The page with the diagrams between its markers: `<!-- diagram:activation -->` … `<!-- /diagram -->`. */
export function withDiagrams(page: string): string {
  return page.replaceAll(/(<!-- diagram:(\w+) -->\n)[\s\S]*?(<!-- \/diagram -->)/g, (whole, start, id, end) => {
    const machine = machines.find((candidate) => candidate.id === id);
    return machine ? `${start}\`\`\`mermaid\n${toMermaid(machine, 'brief')}\n\`\`\`\n${end}` : whole;
  });
}
