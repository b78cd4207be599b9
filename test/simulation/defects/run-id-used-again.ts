import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'run-id-used-again',
  promise: 'S5.5, P34: every activation of a session has the same run id',
  patches: [
    {
      file: 'src/registry/start.ts',
      from: 'residency.runId = registry.ids.next();',
      to: 'residency.runId = residency.id;',
    },
  ],
};
