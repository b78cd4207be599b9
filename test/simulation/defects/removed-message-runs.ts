import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'removed-message-runs',
  promise: 'S3.8, R2: a message that a person has removed is claimed all the same',
  patches: [
    {
      file: 'src/registry/update-queue.ts',
      from: 'const entry = child.inbox.withdraw(messageId);',
      to: 'const entry = { order: 0, message };',
    },
  ],
};
