import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'message-to-a-stranger',
  promise: 'S3.1: a message reaches an agent that is no child of its sender',
  patches: [
    {
      file: 'src/registry/child-target.ts',
      from: 'if (target.parent !== owner) throw notYours();',
      to: '',
    },
  ],
};
