import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'late-turn-writes',
  promise: 'R11, S4.1: a turn that was given up writes on',
  patches: [
    {
      file: 'src/actors/turn.ts',
      from: 'turn?.giveUp();',
      to: '',
    },
    {
      file: 'src/actors/release.ts',
      from: 'residency.turn?.end();',
      to: '',
    },
  ],
};
