import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'notice-without-the-words',
  promise: 'S5.1: an answer without a text takes the place of the last one that had a text',
  patches: [
    {
      file: 'src/actors/running-turn.ts',
      from: 'if (text.length > 0) {',
      to: 'if (content.length > 0) {',
    },
  ],
};
