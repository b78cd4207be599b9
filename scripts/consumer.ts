/** The declarations rule: two small applications in test/consumer compile against dist/ with every declaration file checked. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicEntries } from './entries.ts';
import { root } from './files.ts';
import { type Outcome, run } from './run.ts';

const folder = join(root, 'test', 'consumer');

export async function checkConsumers(): Promise<Outcome> {
  const unused = entriesNotImported();
  const outcomes = [
    await run('tsc', ['-p', join(folder, 'tsconfig.json')]),
    await run('tsc', ['-p', join(folder, 'tsconfig.ai-sdk.json')]),
  ];
  const output = [...unused, ...outcomes.map((outcome) => outcome.output)].filter(Boolean).join('\n');
  return { passed: unused.length === 0 && outcomes.every((outcome) => outcome.passed), output };
}

function entriesNotImported(): string[] {
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const text = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  return publicEntries()
    .filter(({ specifier }) => !text.includes(`from '${specifier}'`))
    .map(({ specifier }) => `no file in test/consumer imports ${specifier}`);
}
