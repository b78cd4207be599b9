import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'run-not-disposed',
  promise: 'R5, S2.10: an external run that has ended is not disposed of',
  patches: [
    {
      file: 'src/actors/release.ts',
      from: 'if (run !== undefined) return residency.disposeRun();',
      to: 'if (run !== undefined) return;',
    },
  ],
};
