import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'notice-told-twice',
  promise: 'R2, S3.9: recovery tells of an end that the parent has heard of',
  patches: [
    {
      file: 'src/registry/settle-past.ts',
      from: `if (known.some((event) => event.type === 'inbox/inserted' && event.data.messageId === notice.messageId)) return;`,
      to: '',
    },
  ],
};
