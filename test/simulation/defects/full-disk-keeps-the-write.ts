import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'full-disk-keeps-the-write',
  promise: 'R9: a full disk refuses a write and keeps it all the same',
  patches: [
    {
      file: 'src/testing/simulation/database.ts',
      from: `      reject(new SubagentError('STORE_FULL', 'the disk is full'));
      return;
`,
      to: `      reject(new SubagentError('STORE_FULL', 'the disk is full'));
`,
    },
  ],
};
