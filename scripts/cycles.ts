/** The cycle rule: no file is loaded by a file that it loads. Type imports and dynamic imports load nothing at start. */
import type { Import } from './imports.ts';

/** One line for each group of files that load each other (Tarjan's strongly connected components). */
export function cycleProblems(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to, kind } of imports) {
    if (kind === 'value') targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  return components(targets)
    .filter((group) => group.length > 1 || targets.get(group[0] ?? '')?.includes(group[0] ?? ''))
    .map((group) => `import cycle: ${[...group].sort().join(', ')}`);
}

function components(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];

  const visit = (file: string): number => {
    const order = index.size;
    index.set(file, order);
    low.set(file, order);
    open.push(file);
    for (const next of targets.get(file) ?? []) {
      if (!index.has(next)) lower(file, visit(next));
      else if (open.includes(next)) lower(file, index.get(next) ?? order);
    }
    if (low.get(file) === order) found.push(open.splice(open.indexOf(file)));
    return low.get(file) ?? order;
  };
  const lower = (file: string, order: number) => low.set(file, Math.min(low.get(file) ?? order, order));

  for (const file of targets.keys()) if (!index.has(file)) visit(file);
  return found;
}
