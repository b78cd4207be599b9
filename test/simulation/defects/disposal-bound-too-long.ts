import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'disposal-bound-too-long',
  promise: 'S2.6, R6: a disposal may take as long as a drain',
  patches: [
    {
      file: 'src/actors/release.ts',
      from: `    ms: world.limits.disposeMs,
    name: 'disposal',`,
      to: `    ms: world.limits.drainMs,
    name: 'disposal',`,
    },
  ],
};
