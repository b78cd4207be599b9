import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'opening-mail-lost',
  promise: 'R1, S10.1: what waits in the log is counted and not given to the agent that comes back',
  patches: [
    {
      file: 'src/registry/resume.ts',
      from: 'residency.inbox.accept(message);',
      to: '',
    },
  ],
};
