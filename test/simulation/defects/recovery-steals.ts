import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'recovery-steals',
  promise: 'S10.1, R4: recovery takes a session from the activation that has it',
  patches: [
    {
      file: 'src/registry/recover.ts',
      from: 'if (registry.residents.has(header.id) || hasWork(stored)) return',
      to: 'if (hasWork(stored)) return',
    },
    {
      file: 'src/registry/recover.ts',
      from: 'if (registry.residents.has(header.id) || !hasToGoOn(stored)) return',
      to: 'if (!hasToGoOn(stored)) return',
    },
    {
      file: 'src/registry/recover.ts',
      from: 'if (registry.residents.has(id)) return;',
      to: '',
    },
  ],
};
