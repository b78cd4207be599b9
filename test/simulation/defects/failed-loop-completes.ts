import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'failed-loop-completes',
  promise: 'S5.2: an agent loop that throws ends its turn as completed',
  patches: [
    {
      file: 'src/actors/turn.ts',
      from: `return { stopReason: 'error', diagnostic: 'the agent driver failed' };`,
      to: `return { stopReason: 'completed' };`,
    },
  ],
};
