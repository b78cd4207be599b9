import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'message-ids-from-the-clock',
  promise: 'S3.5, R2: ids of messages are made of the time',
  patches: [
    {
      file: 'src/registry/send.ts',
      from: 'messageId: registry.ids.next() as MessageId',
      to: 'messageId: String(registry.clock.now()) as MessageId',
    },
  ],
};
