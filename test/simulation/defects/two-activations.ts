import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'two-activations',
  promise: 'R4, S2.2: a message brings back a child that another message is bringing back',
  patches: [
    {
      file: 'src/registry/send.ts',
      from: 'if (stored !== undefined && !registry.residents.has(targetId)) {',
      to: 'if (stored !== undefined) {',
    },
  ],
};
