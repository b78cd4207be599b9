import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'turn-never-given-up',
  promise: 'S4.1, R10: a turn that does not hear that it is to stop is waited for',
  patches: [
    {
      file: 'src/actors/turn.ts',
      from: `residency.send({ type: 'turn.overdue' });`,
      to: '',
    },
  ],
};
