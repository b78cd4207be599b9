import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'turn-before-its-claim',
  promise: 'S3.5, R2: a turn runs before its claim is in the store',
  patches: [
    {
      file: 'src/actors/turn.ts',
      from: 'await session.append([',
      to: 'void session.append([',
    },
  ],
};
