/** The defects: every file beside `main.ts` in the folder `defects` exports one, named like its file. */
import { readdirSync } from 'node:fs';
import type { Defect } from './defect.ts';

const folder = new URL('../defects/', import.meta.url);

export function defectNames(): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .toSorted();
}

export async function loadDefect(name: string): Promise<Defect> {
  const { defect } = (await import(new URL(`${name}.ts`, folder).href)) as { readonly defect?: Defect };
  if (defect?.name !== name) throw new Error(`defects/${name}.ts exports no defect of that name`);
  return defect;
}
