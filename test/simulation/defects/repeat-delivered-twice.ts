import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'repeat-delivered-twice',
  promise: 'S3.7, R2: a request that is repeated is known only while it waits',
  patches: [
    {
      file: 'src/registry/prompt.ts',
      from: 'return holds(await session.events(), session.header, id);',
      to: 'return live?.inbox.find(id) !== undefined;',
    },
  ],
};
