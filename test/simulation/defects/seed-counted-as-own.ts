import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'seed-counted-as-own',
  promise: 'S7.3, P19: what waits in the seed of a fork is taken for its own mail',
  patches: [
    {
      file: 'src/sessions/fold.ts',
      from: 'events.slice(header.inheritedEvents)',
      to: 'events',
    },
  ],
};
