/**
 * One report per public entry in docs/api: every exported name with its type, so that a change of the public surface shows in
 * review. Compares by default; `--write` updates the committed reports. Reads dist/, so build first.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel, type ExtractorMessage } from '@microsoft/api-extractor';
import { type Entry, publicEntries } from './entries.ts';
import { root } from './files.ts';

const reportFolder = join(root, 'docs', 'api');

/** The reports as they should be, by file name. */
export function currentReports(): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'api-report-'));
  try {
    return new Map(publicEntries().map((entry) => [reportName(entry), extract(entry, folder)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function reportProblems(): string[] {
  const reports = currentReports();
  const committed = existsSync(reportFolder) ? readdirSync(reportFolder).filter((name) => name.endsWith('.api.md')) : [];
  const stale = committed.filter((name) => !reports.has(name)).map((name) => `docs/api/${name} describes no public entry`);
  const changed = [...reports]
    .filter(([name, text]) => !committed.includes(name) || readFileSync(join(reportFolder, name), 'utf8') !== text)
    .map(([name, text]) => `docs/api/${name} differs from the built declarations${firstDifference(name, text)}`);
  const problems = [...stale, ...changed];
  return problems.length === 0 ? [] : [...problems, 'if the change is meant, run `npm run api` and commit docs/api'];
}

function firstDifference(name: string, text: string): string {
  const path = join(reportFolder, name);
  if (!existsSync(path)) return ' (no report is committed)';
  const before = readFileSync(path, 'utf8').split('\n');
  const after = text.split('\n');
  const line = after.findIndex((content, index) => content !== before[index]);
  return ` at line ${line + 1}:\n  - ${before[line] ?? ''}\n  + ${after[line] ?? ''}`;
}

function writeReports(): void {
  const reports = currentReports();
  rmSync(reportFolder, { recursive: true, force: true });
  mkdirSync(reportFolder, { recursive: true });
  for (const [name, text] of reports) writeFileSync(join(reportFolder, name), text);
}

function reportName({ specifier }: Entry): string {
  return `${specifier.replaceAll('/', '-')}.api.md`;
}

function extract(entry: Entry, folder: string): string {
  const declarations = join(root, entry.declarations);
  if (!existsSync(declarations)) throw new Error(`${entry.declarations} is missing: ${entry.source} was not built`);
  const hidden = new Set<string>();
  const result = Extractor.invoke(configFor(entry, declarations, folder), {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = true;
      if (message.messageId === 'ae-forgotten-export') hidden.add(hiddenName(message));
      else if (message.logLevel === 'error') throw new Error(`${entry.specifier}: ${message.text}`);
    },
  });
  if (!result.succeeded) throw new Error(`${entry.specifier}: the report could not be made`);
  return normalise(readFileSync(join(folder, reportName(entry)), 'utf8'), entry, hidden);
}

function configFor(entry: Entry, declarations: string, folder: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: declarations,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          extends: './tsconfig.json',
          files: [declarations],
          include: [],
          compilerOptions: { lib: ['es2023', 'esnext.disposable', 'dom'] },
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: reportName(entry),
        reportFolder: folder,
        reportTempFolder: join(folder, 'temp'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.None },
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: false },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
}

function hiddenName({ text }: ExtractorMessage): string {
  return /symbol "([^"]+)"/.exec(text)?.[1] ?? text;
}

/** Replaces the tool's heading by ours and lists the types that the entry mentions without exporting them. */
function normalise(report: string, { specifier }: Entry, hidden: ReadonlySet<string>): string {
  const body = report
    .slice(report.indexOf('```ts'), report.lastIndexOf('```'))
    .replace(/\n\/\/ \(No @packageDocumentation.*\)\n/, '');
  const mentioned =
    hidden.size === 0
      ? ''
      : `\nMentioned but not exported by this entry: ${[...hidden]
          .sort()
          .map((name) => `\`${name}\``)
          .join(', ')}.\n`;
  return `# API of \`${specifier}\`\n\nMade by \`npm run api\`. Do not edit.\n\n${body.trimEnd()}\n\`\`\`\n${mentioned}`;
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--write')) writeReports();
  else {
    const problems = reportProblems();
    for (const problem of problems) console.error(problem);
    process.exitCode = problems.length === 0 ? 0 : 1;
  }
}
