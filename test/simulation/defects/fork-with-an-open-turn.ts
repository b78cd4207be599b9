import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'fork-with-an-open-turn',
  promise: 'S7.3, P19: a fork inherits the turn that its parent has open',
  patches: [
    {
      file: 'src/sessions/fold.ts',
      from: 'return events.slice(0, last + 1);',
      to: 'return last < 0 ? [] : events;',
    },
    {
      file: 'src/registry/seed.ts',
      from: `if (events.length > 0 && events.at(-1)?.type !== 'turn/ended')`,
      to: 'if (events.length < 0)',
    },
  ],
};
