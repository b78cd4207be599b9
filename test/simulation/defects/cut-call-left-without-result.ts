import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'cut-call-left-without-result',
  promise: 'P18: a turn that was cut off is closed without results for its calls',
  patches: [
    {
      file: 'src/registry/settle-past.ts',
      from: '...(missing.length > 0 ?',
      to: '...(missing.length < 0 ?',
    },
  ],
};
