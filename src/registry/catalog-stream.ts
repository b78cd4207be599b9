import { concatMap, type Observable, startWith } from 'rxjs';
import { listChildren, type SubagentCatalogEntry } from './catalog.ts';
import { contained } from './contained.ts';
import type { Registry } from './registry.ts';

/** The whole catalog of a session: as it is, and again after each change that this runtime writes (S6.6). Never a delta. */
export function catalogStream(registry: Registry, parentId: string): Observable<readonly SubagentCatalogEntry[]> {
  const changes = registry.hub.catalogChanges(parentId).pipe(startWith(undefined));
  return contained(changes.pipe(concatMap(() => listChildren(registry, parentId))), registry.report);
}
