import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'notice-with-the-last-turn',
  promise: 'S3.9, P27: a notice says how the last turn ended, not how the activation did',
  patches: [
    {
      file: 'src/actors/release.ts',
      from: `    residency.stopReason = stopReason;
    return captureResult`,
      to: '    return captureResult',
    },
  ],
};
