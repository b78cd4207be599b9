import type { ValidateFunction } from 'ajv';
import { shortened } from '../sessions/one-line.ts';

const faultsMax = 10;
const placeCharactersMax = 80;

/** What the last check found: places as `name` tells them, and rules, not values. Keys are the model's words, so a place is one short line. */
export function faultsOf({ errors }: ValidateFunction, name: (place: string) => string): string {
  const faults = (errors ?? []).slice(0, faultsMax);
  return faults.map(({ instancePath, message }) => `${name(placeOf(instancePath))} ${message ?? 'is not valid'}`).join('; ');
}

/** What is wrong is at the end of a path. */
function placeOf(path: string): string {
  if (path.length <= placeCharactersMax) return shortened(path);
  return `…${shortened(path.slice(-placeCharactersMax))}`;
}
