import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'place-given-back-twice',
  promise: 'S1.13: a place is given back at the end of the work and again at the release',
  patches: [
    {
      file: 'src/registry/capacity.ts',
      from: 'if (holders?.delete(residency) !== true) return;',
      to: `if (holders === undefined) return;
    holders.delete(residency);`,
    },
  ],
};
