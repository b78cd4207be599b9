import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'epoch-not-checked',
  promise: 'R4, S10.2: an owner that was fenced out still writes',
  patches: [
    {
      file: 'src/sessions/stores/memory.ts',
      from: 'log === undefined || log.epoch !== at.epoch || log.events.length !== at.seq',
      to: 'log === undefined',
    },
  ],
};
