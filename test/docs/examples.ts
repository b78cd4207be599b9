/** Takes the TypeScript blocks out of a Markdown file and runs each in a process of its own, against the sources. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');

export interface Example {
  readonly title: string;
  readonly code: string;
}

export function examplesIn(file: string): readonly Example[] {
  const text = readFileSync(join(root, file), 'utf8');
  const examples: Example[] = [];
  let title = file;
  for (const part of text.split(/^(?=## |```ts$)/m)) {
    if (part.startsWith('## ')) title = part.slice(3, part.indexOf('\n'));
    const code = /^```ts\n([\s\S]*?)^```$/m.exec(part)?.[1];
    if (code !== undefined) examples.push({ title, code });
  }
  return examples;
}

/** A model of the AI SDK that answers any prompt with one sentence. */
const given = `
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
const model = new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks: [
  { type: 'stream-start', warnings: [] }, { type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: 'All is well.' },
  { type: 'text-end', id: '1' }, { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
] }) }) });
const show = (...values: unknown[]) => console.log(...values);
process.on('unhandledRejection', (error) => { console.error('unhandled', error); process.exit(9); });
`;

/** Runs in an empty folder; resolves with what was printed. */
export async function runExample({ code }: Example): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-example-'));
  try {
    const file = join(folder, 'example.ts');
    writeFileSync(file, withSources(given + code));
    const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
      cwd: folder,
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The package's own entries, and what it depends on, from this checkout. */
function withSources(code: string): string {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { default: string }>;
  };
  return code.replaceAll(/from '([^'.]+)'/g, (_, name: string) => `from '${sourceOf(name, exports)}'`);
}

function sourceOf(name: string, exports: Record<string, { default: string }>): string {
  const entry = exports[name.replace(/^troupe/, '.')];
  if (!name.startsWith('troupe') || entry === undefined) return import.meta.resolve(name);
  return pathToFileURL(join(root, entry.default.replace('./dist/', './').replace(/\.js$/, '.ts'))).href;
}
