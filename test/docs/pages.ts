/**
 * Runs the TypeScript blocks of a page as its reader would: in one folder with the package installed, each as a file, named by its
 * first line (`// cart.ts`). What it imports decides how a file is run: by vitest, by `node --test`, or by node alone. A `text`
 * block right after one is what it prints.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');

export interface Block {
  readonly file: string;
  readonly code: string;
  readonly prints: string | undefined;
}

export function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

export function blocksIn(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm)].map(([, code = '', prints], index) => ({
    file: /^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? `block-${index + 1}.ts`,
    code,
    prints,
  }));
}

/** A folder with all files of the page, in which they compile and run against the sources. */
export class PageFolder {
  readonly path: string;

  constructor(blocks: readonly Block[]) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-page-')));
    for (const { file, code } of blocks) writeFileSync(join(this.path, file), code);
    writeFileSync(join(this.path, 'package.json'), JSON.stringify({ type: 'module' }));
    install(this.path);
  }

  /** Resolves with what was printed; rejects if the file fails. */
  async run({ file, code }: Block): Promise<string> {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|TEST|FORCE_COLOR)/.test(name)),
    );
    const { stdout } = await promisify(execFile)(process.execPath, [...commandFor(code), file], {
      cwd: this.path,
      env: { ...env, NO_COLOR: '1' },
    });
    return stdout;
  }

  /** What the compiler finds in the files of the page. The sources have a check of their own. */
  async problems(): Promise<string[]> {
    const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')] };
    writeFileSync(
      join(this.path, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*.ts'], compilerOptions }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const found = await promisify(execFile)(process.execPath, [compiler, '--project', '.'], { cwd: this.path }).then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
    );
    return found.split('\n').filter((line) => /^[^\s.]/.test(line));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function commandFor(code: string): string[] {
  if (/from '(troupe\/testing\/)?vitest'/.test(code)) return [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', '.'];
  if (/from '(troupe\/testing\/node-test|node:test)'/.test(code)) return ['--disable-warning=ExperimentalWarning', '--test'];
  return ['--disable-warning=ExperimentalWarning'];
}

/** The package under its name, its entries leading to the sources, and everything that it depends on. */
function install(folder: string): void {
  const { exports, dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>;
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  const home = join(folder, 'node_modules/troupe');
  mkdirSync(home);
  symlinkSync(join(root, 'src'), join(home, 'src'));
  const entries = Object.entries(exports).flatMap(([name, entry]) =>
    typeof entry === 'string' ? [] : [[name, entry.default.replace('./dist/', './').replace(/\.js$/, '.ts')]],
  );
  writeFileSync(
    join(home, 'package.json'),
    JSON.stringify({ name: 'troupe', type: 'module', exports: Object.fromEntries(entries) }),
  );
}
