/** What the watching agent has seen: as its answer, and as what it leaves when it is interrupted. */
import { isCount, isList, isRecord, isText } from './check.ts';
import { countText } from './text.ts';

export interface Finding {
  readonly path: string;
  /** Its part had been counted before: the numbers do not show the change. */
  readonly isCounted: boolean;
}

export interface Findings {
  readonly changed: readonly Finding[];
  /** Changes beyond those. */
  readonly more: number;
}

export const findingsMax = 50;
export const noFindings: Findings = { changed: [], more: 0 };

const fence = '```';
const blockPattern = /^```troupe-changes\n(.*)\n```$/gm;

export function renderFindings(findings: Findings): string {
  const count = findings.changed.length + findings.more;
  const sentence = count === 0 ? 'No change seen so far.' : `${countText(count, 'change')} seen so far.`;
  return `${sentence}\n\n${fence}troupe-changes\n${JSON.stringify(findings)}\n${fence}`;
}

/** The last block of the text, or undefined if there is none that holds. The text may be a model's. */
export function parseFindings(text: string): Findings | undefined {
  const json = [...text.matchAll(blockPattern)].at(-1)?.[1];
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    const isSound = isRecord(value) && isCount(value.more) && isList(value.changed, isFinding);
    return isSound ? (value as unknown as Findings) : undefined;
  } catch {
    // A block that is not JSON: the agent did not keep to the format.
    return undefined;
  }
}

/** Each path once; counted if it was so in one of them. */
export function mergeFindings(all: readonly Findings[]): Findings {
  const byPath = new Map<string, boolean>();
  for (const { path, isCounted } of all.flatMap(({ changed }) => changed)) {
    byPath.set(path, isCounted || byPath.get(path) === true);
  }
  const changed = [...byPath].map(([path, isCounted]) => ({ path, isCounted }));
  const more = all.reduce((sum, findings) => sum + findings.more, 0);
  return { changed: changed.slice(0, findingsMax), more: more + Math.max(0, changed.length - findingsMax) };
}

/** For the watching agent when the counting is over: it has been interrupted, and this wakes it. */
export const finishText = 'All parts have been counted. Look once more, and answer.';

/** What the agent above tells the watching one while it works. */
export function countedText(paths: readonly string[]): string {
  return `These parts have been counted: ${JSON.stringify(paths)}`;
}

/** Empty if the text says no such thing. */
export function countedIn(text: string): readonly string[] {
  const json = /^These parts have been counted: (\[.*\])$/m.exec(text)?.[1];
  if (json === undefined) return [];
  try {
    const paths: unknown = JSON.parse(json);
    return Array.isArray(paths) && paths.every(isText) ? paths : [];
  } catch {
    // Words that only look like these.
    return [];
  }
}

function isFinding(value: unknown): boolean {
  return isRecord(value) && isText(value.path) && typeof value.isCounted === 'boolean';
}
