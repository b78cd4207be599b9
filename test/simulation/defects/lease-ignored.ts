import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'lease-ignored',
  promise: 'R4, S10.2: a session is claimed although another owner holds it',
  patches: [
    {
      file: 'src/sessions/stores/memory.ts',
      from: 'if (log.owner !== owner && this.#isHeld(log)) return Promise.reject(busy(id));',
      to: '',
    },
  ],
};
