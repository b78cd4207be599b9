import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'message-claimed-twice',
  promise: 'R2, S3.5: what a step has claimed stays in the inbox',
  patches: [
    {
      file: 'src/agents/inbox.ts',
      from: 'this.#stepLane = [];',
      to: '',
    },
  ],
};
