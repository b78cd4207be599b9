import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'orphan-run',
  promise: 'R5, S7.8: a run that began under a start that failed is left running',
  patches: [
    {
      file: 'src/registry/external-child.ts',
      from: `      await takeBack(registry, run);
      throw fault;`,
      to: '      throw fault;',
    },
  ],
};
