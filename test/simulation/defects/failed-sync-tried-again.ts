import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'failed-sync-tried-again',
  promise: 'R9: a failed sync is tried again, and what it may have lost is acknowledged',
  patches: [
    {
      file: 'src/testing/simulation/database.ts',
      from: `      this.#fail();
      return;
`,
      to: `      this.journal.failSync();
`,
    },
  ],
};
