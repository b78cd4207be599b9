import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'stale-agent-acts',
  promise: 'S3.1, S4.4: the agent of an activation that has ended acts for the next one of its session',
  patches: [
    {
      file: 'src/registry/registry.ts',
      from: 'residency !== undefined && residency.agent === agent && !residency.isReleased',
      to: 'residency !== undefined && !residency.isReleased',
    },
  ],
};
