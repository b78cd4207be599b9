import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'place-not-given-back',
  promise: 'S1.13, R16: a child whose release failed keeps its place',
  patches: [
    {
      file: 'src/registry/capacity.ts',
      from: 'this.#total--;',
      to: '',
    },
  ],
};
