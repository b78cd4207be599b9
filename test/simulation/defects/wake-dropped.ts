import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'wake-dropped',
  promise: 'S3.2, R13: a message for a waiting agent opens no turn',
  patches: [
    {
      file: 'src/machines/activation.ts',
      from: `{ guard: 'hasMail', target: '#running' },`,
      to: '',
    },
  ],
};
