import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getStateNodes } from '@xstate/graph';
import { expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { edgeNames } from '../../src/testing/index.ts';
import { exportedFiles, machines, withDiagrams } from '../../visualizations/exports.ts';
import { toMermaid } from '../../visualizations/mermaid.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

test.each(exportedFiles())('$path says what the machine says (S10.5)', ({ path, text }) => {
  expect(read(path)).toBe(text);
});

test('the diagram in the concepts page is the one of the machine (S10.5)', () => {
  const page = read('docs/concepts.md');
  expect(withDiagrams(page)).toBe(page);
  expect(page).toContain('```mermaid\nstateDiagram-v2');
});

test.each(machines)('the exported definition of the $id has every edge of the machine (S10.5)', (machine) => {
  const definition = JSON.parse(read(`visualizations/exports/${machine.id}.json`));
  expect(edgeNames(createMachine(definition))).toEqual(edgeNames(machine));
});

test.each(machines)('the diagram of the $id shows every state, and every arrow joins two of them (S10.5)', (machine) => {
  const diagram = toMermaid(machine);
  const states = new Set([...diagram.matchAll(/^ *state ".*" as (\w+)/gm)].map(([, id]) => id));
  expect(states.size).toBe(getStateNodes(machine).length);
  const ends = [...diagram.matchAll(/^ *(\S+) --> (\w+|\[\*\])/gm)].flatMap(([, from, to]) => [from, to]);
  expect(ends.filter((end) => end !== '[*]' && !states.has(end))).toEqual([]);
});
