import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'unhandled-rejection',
  promise: 'R17: a run that fails before anybody reads its result ends the process',
  patches: [
    {
      file: 'src/registry/external-run.ts',
      from: 'followed.catch(() => undefined);',
      to: '',
    },
  ],
};
