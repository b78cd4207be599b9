import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'unannounced-start-runs',
  promise: 'R8, S6.1: recovery runs a start that no parent lists',
  patches: [
    {
      file: 'src/registry/recover.ts',
      from: 'if (await isUnannounced(registry, header)) return remove(registry, header);',
      to: '',
    },
  ],
};
