import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'settled-agent-hears-nothing',
  promise: 'S2.7: a message that comes while the end is being written does not win',
  patches: [
    {
      file: 'src/machines/activation.ts',
      from: `'message.offered': { guard: 'canOffer', target: 'waiting', actions: 'countOffered' },`,
      to: '',
    },
  ],
};
