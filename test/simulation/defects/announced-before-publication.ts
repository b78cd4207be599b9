import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'announced-before-publication',
  promise: 'S5.5, S1.6: a start is announced when it is admitted, also one that then fails',
  patches: [
    {
      file: 'src/machines/activation-ports.ts',
      from: 'announceStarted: ({ context }: Given) => ports.announceStarted(context.id),',
      to: 'announceStarted: () => undefined,',
    },
    {
      file: 'src/registry/start.ts',
      from: 'registry.capacity.take(residency.root, residency);',
      to: `registry.capacity.take(residency.root, residency);
  registry.announceStarted(residency);`,
    },
  ],
};
