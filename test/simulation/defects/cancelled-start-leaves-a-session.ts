import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'cancelled-start-leaves-a-session',
  promise: 'S1.6: a start that was cancelled leaves its session behind',
  patches: [
    {
      file: 'src/registry/local-child.ts',
      from: 'if (signal.aborted) await undo(registry, header.id, lease);',
      to: '',
    },
  ],
};
