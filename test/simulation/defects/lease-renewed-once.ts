import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'lease-renewed-once',
  promise: 'S10.2: the lease is renewed once and then no more',
  patches: [
    {
      file: 'src/registry/create-runtime.ts',
      from: `      arm();
      renew()`,
      to: '      renew()',
    },
  ],
};
