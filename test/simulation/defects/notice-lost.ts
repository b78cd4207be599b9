import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'notice-lost',
  promise: 'S3.9: a parent that is on its way out is not told, and the child marks it as told',
  patches: [
    {
      file: 'src/actors/notice.ts',
      from: `else await parent.session?.append([{ type: 'inbox/inserted', time: world.clock.now(), data: { ...notice, wakes: false } }]);`,
      to: '',
    },
  ],
};
