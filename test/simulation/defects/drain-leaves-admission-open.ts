import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'drain-leaves-admission-open',
  promise: 'S4.3: an agent whose descendants were drained starts new ones',
  patches: [
    {
      file: 'src/registry/stop.ts',
      from: `for (const residency of residencies) residency.send({ type: 'delegation.closed' });`,
      to: '',
    },
  ],
};
