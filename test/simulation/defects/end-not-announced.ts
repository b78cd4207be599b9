import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'end-not-announced',
  promise: 'S5.5: the end of a child whose release failed is not announced',
  patches: [
    {
      file: 'src/registry/create-runtime.ts',
      from: `function announceEnded(registry: Registry, residency: Residency): void {
  const { parent } = residency;
  if (parent === undefined) return;`,
      to: `function announceEnded(registry: Registry, residency: Residency): void {
  const { parent } = residency;
  if (parent === undefined || residency.teardownFault !== undefined) return;`,
    },
  ],
};
