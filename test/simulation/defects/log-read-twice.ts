import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'log-read-twice',
  promise: 'R2, S3.7: what two read of a log at the same time is remembered twice',
  patches: [
    {
      file: 'src/sessions/session.ts',
      from: 'if (events.length === from) events.push(...more);',
      to: 'events.push(...more);',
    },
  ],
};
