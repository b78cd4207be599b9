/** The public entries of the package, read from `exports` in package.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

export interface Entry {
  /** What a user imports: `troupe` or `troupe/stores/memory`. */
  readonly specifier: string;
  /** Built declarations, relative to the root. */
  readonly declarations: string;
  /** The source file, relative to the root. */
  readonly source: string;
}

export function publicEntries(): Entry[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name: string;
    exports: Record<string, string | { types: string; default: string }>;
  };
  return Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === 'string') return [];
    return [
      {
        specifier: subpath.replace(/^\./, name),
        declarations: target.types.replace(/^\.\//, ''),
        source: target.default.replace('./dist/', '').replace(/\.js$/, '.ts'),
      },
    ];
  });
}
