import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'mail-discarded-by-drain',
  promise: 'S4.3, R1: a drain throws away what waits',
  patches: [
    {
      file: 'src/registry/stop.ts',
      from: `await stopTrees(registry, children, 'keep');`,
      to: `await stopTrees(registry, children, 'discard');`,
    },
  ],
};
