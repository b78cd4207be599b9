import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'second-turn-begins',
  promise: 'R4, S2.1: a turn begins while another runs',
  patches: [
    {
      file: 'src/machines/activation.ts',
      from: 'woken: { on:',
      to: `woken: { entry: 'beginTurn', on:`,
    },
  ],
};
