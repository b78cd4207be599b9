import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'catalog-entry-missing',
  promise: 'S6.1: a child is started and its parent does not list it',
  patches: [
    {
      file: 'src/registry/local-child.ts',
      from: 'await enterCatalog(registry, start, residency, header, lease);',
      to: '',
    },
  ],
};
