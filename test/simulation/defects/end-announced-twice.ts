import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'end-announced-twice',
  promise: 'S5.5: the end of an activation is announced again when it is released',
  patches: [
    {
      file: 'src/registry/start.ts',
      from: `  registry.hub.forgetParent(residency.id);
  residency.endTurn();`,
      to: `  registry.announceEnded(residency);
  registry.hub.forgetParent(residency.id);
  residency.endTurn();`,
    },
  ],
};
