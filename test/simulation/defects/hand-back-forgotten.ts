import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'hand-back-forgotten',
  promise: 'S10.2, R16: a session is not handed back when its agent is released',
  patches: [
    {
      file: 'src/actors/release.ts',
      from: 'await session?.handBack();',
      to: '',
    },
  ],
};
