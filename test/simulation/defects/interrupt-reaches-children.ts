import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'interrupt-reaches-children',
  promise: 'S4.1: an interrupt stops the children of its target as well',
  patches: [
    {
      file: 'src/machines/activation.ts',
      from: `                entry: 'stopTurn',
                on: { 'turn.overdue'`,
      to: `                entry: ['stopTurn', 'stopChildren'],
                on: { 'turn.overdue'`,
    },
  ],
};
