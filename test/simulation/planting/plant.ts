/** Plants a defect in what this thread loads from now on; what it has loaded already stays as it is. */
import { registerHooks } from 'node:module';
import { type Defect, patched } from './defect.ts';

const root = new URL('../../../', import.meta.url);

/** Returns what tells which of its files have not been loaded yet. */
export function plant(defect: Defect): () => readonly string[] {
  const waiting = new Map(defect.patches.map(({ file }) => [new URL(file, root).href, file as string]));
  const files = new Map(waiting);
  registerHooks({
    load(url, context, nextLoad) {
      const file = files.get(url);
      const loaded = nextLoad(url, context);
      if (file === undefined) return loaded;
      waiting.delete(url);
      return { ...loaded, source: patched(textOf(loaded.source), file, defect) };
    },
  });
  return () => [...waiting.values()];
}

function textOf(source: unknown): string {
  if (typeof source === 'string') return source;
  if (source instanceof Uint8Array) return new TextDecoder().decode(source);
  throw new Error('the source of the file cannot be read');
}
