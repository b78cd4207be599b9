import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'drain-of-a-stranger',
  promise: 'S4.4: an agent drains a child of another',
  patches: [
    {
      file: 'src/registry/stop.ts',
      from: 'children.some((child) => child.parent !== owner)',
      to: 'children.some((child) => child.parent === undefined)',
    },
  ],
};
