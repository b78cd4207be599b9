import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'parked-context-lost',
  promise: 'S2.8: context that does not wake is in the log and in no inbox',
  patches: [
    {
      file: 'src/actors/mail.ts',
      from: 'target.inbox.accept(message);',
      to: 'if (message.wakes) target.inbox.accept(message);',
    },
  ],
};
