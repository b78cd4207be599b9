import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'messages-overtake',
  promise: 'R3, S3.2: a message does not wait for the one that its sender sent before it',
  patches: [
    {
      file: 'src/registry/routes.ts',
      from: 'if (before !== undefined) await untilAborted(before, signal, cancelled);',
      to: '',
    },
  ],
};
