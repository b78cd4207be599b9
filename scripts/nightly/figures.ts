/**
 * `docs/figures.json`: of each step of the nightly run the last that was written down. Names of machines and paths have no place in it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../files.ts';
import type { Size, StepName } from './steps.ts';

/** By name. Objects of the programs that count are flattened: `struck.disk-full`. */
export type Figures = Readonly<Record<string, number>>;

export interface StepRecord {
  readonly size: Size;
  /** The day on which it ended, in UTC, as in 2026-01-31. */
  readonly date: string;
  readonly node: string;
  readonly seconds: number;
  readonly passed: boolean;
  readonly figures: Figures;
}

export type Recorded = Readonly<Partial<Record<StepName, StepRecord>>>;

const path = join(root, 'docs/figures.json');

/** Empty if nothing was ever written down. */
export function readRecorded(): Recorded {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Recorded) : {};
}

/** What is not in `news` stays as it is. */
export function writeRecorded(news: Recorded): void {
  writeFileSync(path, `${JSON.stringify({ ...readRecorded(), ...news }, null, 2)}\n`);
}

/** Adds up the lines that `noteFigure` wrote, and what a program wrote as one object. Files that are missing say nothing. */
export function figuresIn(lines: string, json: string): Figures {
  const figures: Record<string, number> = existsSync(json) ? flattened(JSON.parse(readFileSync(json, 'utf8'))) : {};
  if (!existsSync(lines)) return figures;
  for (const line of readFileSync(lines, 'utf8').split('\n').filter(Boolean)) {
    const { name, value } = JSON.parse(line) as { name: string; value: number };
    figures[name] = (figures[name] ?? 0) + value;
  }
  return figures;
}

/** Numbers alone; lists and words are left out. */
function flattened(value: object, before = ''): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    if (typeof inner === 'number' && Number.isFinite(inner)) figures[`${before}${key}`] = inner;
    else if (typeof inner === 'object' && inner !== null && !Array.isArray(inner))
      Object.assign(figures, flattened(inner, `${before}${key}.`));
  }
  return figures;
}
