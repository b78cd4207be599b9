/** The readable form: a line for each row, its targets beside it, the other fields below. */
import type { Figures, Row } from './row.ts';
import { isHeld, type Target, targetsOf } from './targets.ts';

const widths = [24, 26] as const;

export function heading(): string {
  return columns('row', 'figure', 'target');
}

export function line({ name, unit, of }: Row, figures: Figures): string {
  const targets = targetsOf(name).map((target) => verdict(target, figures[target.field]));
  const rest = Object.entries(figures).filter(([field]) => field !== 'value');
  return [
    columns(name, `${digits(figures.value)} ${unit}`, targets.join('; ')),
    `  ${of}`,
    `  ${rest.map(([field, value]) => `${field} ${digits(value)}`).join(', ')}`,
  ].join('\n');
}

function verdict(target: Target, value: number | undefined): string {
  const bound = target.max === undefined ? `at least ${target.min}` : `at most ${target.max}`;
  const field = target.field === 'value' ? '' : `${target.field} ${digits(value)}, `;
  return `${value !== undefined && isHeld(target, value) ? 'held' : 'MISSED'}: ${field}${bound}`;
}

function columns(first: string, second: string, third: string): string {
  return `${first.padEnd(widths[0])}${second.padEnd(widths[1])}${third}`.trimEnd();
}

function digits(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '-';
  return Math.abs(value) >= 1_000 ? Math.round(value).toLocaleString('en-GB') : String(Number(value.toPrecision(3)));
}
