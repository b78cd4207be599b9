/** A defect that is planted to see whether the checks find it: the source with a few words changed. */

export interface Patch {
  /** From the root of the repository. */
  readonly file: `src/${string}`;
  /** Occurs in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

export interface Defect {
  readonly name: string;
  /** Numbers of the promises that it breaks, and what goes wrong, in a few words. */
  readonly promise: string;
  readonly patches: readonly Patch[];
}

/** Throws unless every patch of the file has exactly one place in it. */
export function patched(source: string, file: string, { name, patches }: Defect): string {
  return patches
    .filter((patch) => patch.file === file)
    .reduce((text, { from, to }) => {
      const places = text.split(from).length - 1;
      if (places !== 1) throw new Error(`defect ${name}: ${file} has ${places} places that read: ${from}`);
      return text.replace(from, () => to);
    }, source);
}
