/** The lockfile rule: no download address, so that an install uses whatever registry the machine is set to. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

export function lockfileProblems(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string; link?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
    .map(([path]) => `package-lock.json names a download address for ${path}`);
}
