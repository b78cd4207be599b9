import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'call-left-without-result',
  promise: 'P18: a turn that ends leaves a call without a result',
  patches: [
    {
      file: 'src/actors/running-turn.ts',
      from: '...this.#resultsEvent(this.#missingResults()),',
      to: '',
    },
  ],
};
