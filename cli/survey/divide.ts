/** How an agent divides its part: what it does itself, and what it gives to children. */
import { printable } from '../terminal/printable.ts';
import type { Listing } from '../workspace/listing.ts';
import type { DelegatedPart } from './desk.ts';
import type { Examination } from './examine.ts';
import type { SurveyTask } from './task.ts';

export interface Division {
  readonly own: readonly Pick<Examination, 'paths' | 'scope'>[];
  readonly delegated: readonly DelegatedPart[];
}

/** The top-level agent makes one part of each top-level directory, up to this many; beyond that it groups neighbours. */
const rootPartsMax = 48;
const childPartsMax = 8;
/** A child that has at most this many files works alone. */
const filesAloneMax = 400;

export function divide(task: SurveyTask, listings: readonly Listing[], canDelegate: boolean): Division {
  const alone: Division = { own: [{ paths: task.paths, scope: 'all' }], delegated: [] };
  const [listing, ...more] = listings;
  if (!canDelegate || listing === undefined || more.length > 0 || task.paths.length > 1) return alone;
  if (listing.omitted.directories > 0) return alone;
  const isRoot = task.answer === 'report';
  const filled = listing.directories.filter(({ filesBelow }) => filesBelow > 0);
  const filesBelow = filled.reduce((total, directory) => total + directory.filesBelow, 0);
  if (filled.length === 0 || (!isRoot && (filled.length < 2 || filesBelow <= filesAloneMax))) return alone;
  const inside = (name: string) => (listing.path === '.' ? name : `${listing.path}/${name}`);
  // A directory without regular files is not worth a child, but may hold what must be reported.
  const bare = listing.directories.filter((directory) => directory.filesBelow === 0).map(({ name }) => inside(name));
  const groups = group(filled, isRoot ? rootPartsMax : childPartsMax);
  return {
    own: [{ paths: task.paths, scope: 'direct' }, ...(bare.length > 0 ? [{ paths: bare, scope: 'all' } as const] : [])],
    delegated: groups.map((names) => ({ label: labelOf(names.map(inside)), paths: names.map(inside) })),
  };
}

/** Neighbours together, so that each group has about as many files as the others. */
function group(directories: readonly { name: string; filesBelow: number }[], groupsMax: number): string[][] {
  if (directories.length <= groupsMax) return directories.map(({ name }) => [name]);
  const groups: string[][] = [[]];
  let rest = directories.reduce((total, { filesBelow }) => total + filesBelow, 0);
  let filled = 0;
  directories.forEach(({ name, filesBelow }, index) => {
    const last = groups.at(-1) ?? [];
    const groupsLeft = groupsMax - groups.length;
    const mustFit = directories.length - index <= groupsLeft;
    const isFull = filled > 0 && filled + filesBelow / 2 > (filled + rest) / (groupsLeft + 1);
    if (last.length > 0 && groupsLeft > 0 && (isFull || mustFit)) {
      groups.push([name]);
      filled = 0;
    } else last.push(name);
    filled += filesBelow;
    rest -= filesBelow;
  });
  return groups;
}

/** As the runtime keeps it: one line of at most 200 characters. */
function labelOf(paths: readonly string[]): string {
  const [first = '', last = first] = [paths.at(0), paths.at(-1)].map((path) => printable(path ?? '', 80));
  return paths.length === 1 ? first : `${first} to ${last} (${paths.length} folders)`;
}
