import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'interrupt-by-anybody',
  promise: 'S4.1: any live agent interrupts any other',
  patches: [
    {
      file: 'src/registry/stop.ts',
      from: 'return (target) => isBelow(target, ancestor);',
      to: 'return () => true;',
    },
  ],
};
