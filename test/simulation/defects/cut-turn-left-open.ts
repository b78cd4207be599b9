import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'cut-turn-left-open',
  promise: 'R8, S10.1: a turn that was cut off is not closed when its session is opened again',
  patches: [
    {
      file: 'src/registry/settle-past.ts',
      from: 'if (openTurn !== undefined) return',
      to: 'if (openTurn === undefined) return',
    },
  ],
};
