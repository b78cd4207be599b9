import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'one-place-too-many',
  promise: 'S1.13: one activation more than the bound is live',
  patches: [
    {
      file: 'src/registry/capacity.ts',
      from: '(holders?.size ?? 0) >= perRoot',
      to: '(holders?.size ?? 0) > perRoot',
    },
  ],
};
