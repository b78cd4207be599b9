/** The layer rule: imports point down. This table is the only place where the order is written. */
import type { Import } from './imports.ts';

interface Layer {
  readonly name: string;
  /** A folder ends in a slash; anything else is one file. */
  readonly owns: readonly string[];
  /** When given, the layer reaches no lower layer and no package but these. */
  readonly onlyPackages?: readonly string[];
}

/** From low to high. A file may import from its own layer and from lower ones, types included. */
export const layers: readonly Layer[] = [
  { name: 'ground', owns: ['src/ports/', 'src/errors.ts'] },
  { name: 'machines', owns: ['src/machines/'], onlyPackages: ['xstate'] },
  { name: 'sessions', owns: ['src/sessions/'] },
  { name: 'agents', owns: ['src/agents/'] },
  { name: 'providers', owns: ['src/providers/'] },
  { name: 'tools', owns: ['src/tools/'] },
  { name: 'actors', owns: ['src/actors/'] },
  { name: 'registry', owns: ['src/registry/'] },
  { name: 'public', owns: ['src/index.ts'] },
  { name: 'testing', owns: ['src/testing/'] },
  { name: 'internal', owns: ['src/internal.ts'] },
];

/** `publicEntries` are the source files that an application may import, such as `src/index.ts`. */
export function layerProblems(imports: readonly Import[], publicEntries: readonly string[]): string[] {
  return imports.flatMap((edge) => {
    const reason = edge.from.startsWith('cli/') ? cliReason(edge, publicEntries) : sourceReason(edge);
    return reason === undefined ? [] : [`${edge.from}:${edge.line} imports ${edge.to}: ${reason}`];
  });
}

function cliReason({ to, target }: Import, publicEntries: readonly string[]): string | undefined {
  if (target === 'package' || to.startsWith('cli/') || publicEntries.includes(to)) return undefined;
  return 'the command line program uses only the public entries, as any other application does';
}

function sourceReason({ from, to, target }: Import): string | undefined {
  const home = layerOf(from);
  if (home === undefined) return `${from} belongs to no layer`;
  if (target === 'package') return packageReason(home, to);
  if (!to.startsWith('src/')) return 'src imports nothing outside src';
  const other = layerOf(to);
  if (other === undefined) return `${to} belongs to no layer`;
  if (layers.indexOf(other) > layers.indexOf(home)) return `${home.name} is below ${other.name}`;
  if (home.onlyPackages && other !== home) return `${home.name} imports only ${home.onlyPackages.join(', ')} and itself`;
  return undefined;
}

function packageReason(home: Layer, specifier: string): string | undefined {
  if (specifier === 'troupe' || specifier.startsWith('troupe/')) return 'the library does not import itself by its package name';
  if (home.onlyPackages === undefined || home.onlyPackages.includes(specifier)) return undefined;
  return `${home.name} imports only ${home.onlyPackages.join(', ')} and itself`;
}

function layerOf(path: string): Layer | undefined {
  return layers.find(({ owns }) => owns.some((owned) => (owned.endsWith('/') ? path.startsWith(owned) : path === owned)));
}
