import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'answers-before-sync',
  promise: 'R1, S10.1: the store says that a write is done before it is on disk',
  patches: [
    {
      file: 'src/testing/simulation/database.ts',
      from: 'if (this.journal.unsynced === 0) {',
      to: 'if (waiting.isWrite || this.journal.unsynced === 0) {',
    },
  ],
};
