import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'caller-told-by-notice',
  promise: 'S3.9, S8.1: an outcome that the caller has is told to the parent as well',
  patches: [
    {
      file: 'src/actors/release.ts',
      from: `if (residency.parent === undefined || residency.delivery === 'caller') return undefined;`,
      to: 'if (residency.parent === undefined) return undefined;',
    },
  ],
};
