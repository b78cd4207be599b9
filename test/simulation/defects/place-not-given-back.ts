import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'place-not-given-back',
  promise: 'S1.13, R16: a place that was given back is counted as taken',
  patches: [
    {
      file: 'src/registry/capacity.ts',
      from: 'this.#total--;',
      to: '',
    },
  ],
};
