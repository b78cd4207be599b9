import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'claim-not-undone',
  promise: 'R9: a claim that the store refused is not undone, and the message is nowhere in memory',
  patches: [
    {
      file: 'src/actors/running-turn.ts',
      from: '{ undo: () => inbox.restore(claimed) }',
      to: '{}',
    },
  ],
};
