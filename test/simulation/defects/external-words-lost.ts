import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'external-words-lost',
  promise: 'S5.1: what an external child said is not told',
  patches: [
    {
      file: 'src/actors/release.ts',
      from: 'const said = residency.external ?? { output: [], stopReason };',
      to: 'const said = { output: [], stopReason };',
    },
  ],
};
