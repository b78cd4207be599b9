/** A machine as plain data, which is what Stately's visualizer, editor and inspector take. */
import type { AnyStateMachine } from 'xstate';

/** The definition without its functions: names of guards and actions stay, so every part can be seen. */
export function toDefinition(machine: AnyStateMachine): string {
  return JSON.stringify(machine.config, null, 2);
}

/** A module that needs nothing but `xstate`, to paste into an editor that takes code. */
export function toModule(machine: AnyStateMachine): string {
  return [
    `/** Made by \`npm run visualize\`. Paste it into Stately's editor. */`,
    `import { createMachine } from 'xstate';`,
    '',
    `export const machine = createMachine(${toDefinition(machine)});`,
  ].join('\n');
}
