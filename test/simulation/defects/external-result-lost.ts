import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'external-result-lost',
  promise: 'S3.9, R9: the result of an external child is lost to a disk that is full for a moment',
  patches: [
    {
      file: 'src/actors/release.ts',
      from: `await (residency.kind === 'external' ? deliverInTime : deliverNotice)(world, parent, notice)`,
      to: 'await deliverNotice(world, parent, notice)',
    },
  ],
};
