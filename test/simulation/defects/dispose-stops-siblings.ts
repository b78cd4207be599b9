import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'dispose-stops-siblings',
  promise: 'S1.5, R12: disposing of a child ends its siblings',
  patches: [
    {
      file: 'src/registry/stop.ts',
      from: 'await stopTrees(registry, [root], mail);',
      to: 'await stopTrees(registry, [root, ...(root.parent?.children ?? [])], mail);',
    },
  ],
};
