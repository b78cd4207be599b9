import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'timer-not-cancelled',
  promise: 'R16: the timer of a bound runs on when the work is done',
  patches: [
    {
      file: 'src/actors/bounded.ts',
      from: `      cancel();
      effect.done(value);`,
      to: '      effect.done(value);',
    },
  ],
};
