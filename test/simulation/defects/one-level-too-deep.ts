import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'one-level-too-deep',
  promise: 'S1.12: a child is started one level below the limit',
  patches: [
    {
      file: 'src/registry/depth.ts',
      from: 'if (depth > limit) {',
      to: 'if (parentDepth > limit) {',
    },
  ],
};
