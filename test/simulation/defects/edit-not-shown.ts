import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'edit-not-shown',
  promise: 'S3.8: a message that a person has changed is shown as it was',
  patches: [
    {
      file: 'src/registry/update-queue.ts',
      from: 'child.inbox.edit(messageId, content);',
      to: '',
    },
  ],
};
