#!/usr/bin/env node
/** The entry: the program itself is loaded only by a Node that can, since an older one has no `node:sqlite`. */
import { versionFault } from './node-version.ts';

const fault = versionFault(process.versions.node);
if (fault === undefined) await import('./program.ts');
else {
  process.stderr.write(fault);
  process.exitCode = 1;
}
