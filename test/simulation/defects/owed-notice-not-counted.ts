import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'owed-notice-not-counted',
  promise: 'S10.1: the store forgets that the parent of a child that has ended is still to be told',
  patches: [
    {
      file: 'src/sessions/pending.ts',
      from: 'hasUndeliveredNotice = event.data.notice !== undefined;',
      to: 'hasUndeliveredNotice = false;',
    },
  ],
};
