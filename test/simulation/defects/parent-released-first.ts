import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'parent-released-first',
  promise: 'R6, S2.4: a parent is released before its children',
  patches: [
    {
      file: 'src/machines/activation-counts.ts',
      from: 'const isEmpty = (context: ActivationContext) => context.children === 0 && context.offered === 0;',
      to: 'const isEmpty = (context: ActivationContext) => context.offered === 0;',
    },
  ],
};
