/** Says what a folder is from what lies in it: its README, its manifest, the comment at the head of its main file, its types. */

import { printable } from '../terminal/printable.ts';
import { noExtension } from '../workspace/file-type.ts';
import type { Listing } from '../workspace/listing.ts';
import type { Measured } from '../workspace/measure.ts';
import type { Quote } from './part.ts';
import { prose } from './text.ts';

/** What was read of one directory. */
export interface Evidence {
  readonly home: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Names of its directories. */
  readonly folders: readonly string[];
}

const readme = /^readme(?:\.(?:md|markdown|txt|rst|adoc))?$/i;
const manifests = ['package.json', 'Cargo.toml', 'pyproject.toml', 'go.mod', 'composer.json', 'setup.cfg'];
const mainFile = /^(?:index|main|mod|lib|app|__init__|__main__)\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kt|cs|c|cc|cpp|h|hpp)$/i;
/** Among more source files than this, the first one in the order of names says little about the rest. */
const loneSourcesMax = 3;
const sourceFile = /\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kt|cs|c|cc|cpp|h|hpp)$/i;

/** The files of a directory worth reading, at most three. */
export function evidencePaths(listing: Listing): string[] {
  const { files } = listing;
  const named = [
    files.find((name) => readme.test(name)),
    files.find((name) => manifests.includes(name)),
    files.find((name) => mainFile.test(name)),
  ].filter((name) => name !== undefined);
  const sources = files.filter((name) => sourceFile.test(name));
  const isLone = named.length === 0 && listing.directories.length === 0 && sources.length <= loneSourcesMax;
  const chosen = isLone ? sources.slice(0, 1) : named;
  return chosen.map((name) => (listing.path === '.' ? name : `${listing.path}/${name}`));
}

/** What the files say of themselves, at most three of them. */
export function quotesOf(evidence: readonly Evidence[]): Quote[] {
  const quotes = evidence.flatMap(({ files }) =>
    files.flatMap(({ path, text }) => {
      const said = quotationOf(path, text);
      return said === undefined ? [] : [{ file: nameOf(path), text: printable(said, quoteMax) }];
    }),
  );
  return quotes.slice(0, 3);
}

const quoteMax = 160;

/** The types that make up most of the bytes: “TypeScript, 97 % of the bytes.” */
export function kindOf(types: Measured['types']): string {
  const bytes = types.reduce((total, row) => total + row.bytes, 0);
  const [first, second] = types;
  if (first === undefined) return '';
  if (bytes === 0) return 'Empty files.';
  const share = (row: { bytes: number }) => Math.round((row.bytes / bytes) * 100);
  if (second === undefined || share(first) === 100) return `${nameOfType(first.type)}.`;
  const main = `${nameOfType(first.type)}, ${share(first)} % of the bytes`;
  return share(first) >= 80 ? `${main}.` : `${main}; then ${nameOfType(second.type)}, ${share(second)} %.`;
}

function quotationOf(path: string, text: string): string | undefined {
  const name = nameOf(path);
  if (readme.test(name)) return readmeQuotation(text);
  if (name.endsWith('.json')) return jsonQuotation(text);
  if (name.endsWith('.toml') || name.endsWith('.cfg')) return /^\s*description\s*=\s*["']?(.+?)["']?\s*$/m.exec(text)?.[1];
  if (name === 'go.mod') return /^module\s+(\S+)/m.exec(text)?.[0];
  return headComment(name, text);
}

/** The first heading and the first line of plain text below it. */
function readmeQuotation(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const at = lines.findIndex((line) => /^#{1,3}\s+\S/.test(line));
  const heading = at < 0 ? undefined : lines[at]?.replace(/^#+\s+/, '');
  const body = lines.slice(at + 1).find((line) => /^[\p{L}\p{N}“"'`*_]/u.test(line) && !/^[=-]+$/.test(line));
  if (heading === undefined) return body;
  return body === undefined ? heading : `${heading} — ${firstSentence(body)}`;
}

function jsonQuotation(text: string): string | undefined {
  try {
    const { name, description } = JSON.parse(text) as { name?: unknown; description?: unknown };
    const parts = [name, description].filter((part) => typeof part === 'string' && part !== '');
    return parts.length === 0 ? undefined : parts.join(' — ');
  } catch {
    // A manifest longer than what was read, or no JSON; then it is no evidence.
    return undefined;
  }
}

const legal = /copyright|licen[sc]e|spdx/i;

/** The first comment of a source file that is no legal notice: in front of the code, or the first documentation comment. */
export function headComment(name: string, text: string): string | undefined {
  const blocks = [...text.matchAll(/\/\*\*?([\s\S]*?)\*\/|^(?:"""|''')([\s\S]*?)(?:"""|''')/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  const marker = /\.(?:py|rb)$/.test(name) ? '#' : '//';
  const leading: string[] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith('#!') || (trimmed === '' && leading.length === 0)) continue;
    if (!trimmed.startsWith(marker)) break;
    leading.push(trimmed.slice(marker.length));
  }
  const comments = [leading.join(' '), ...blocks].map((comment) =>
    comment
      .replaceAll(/^\s*\*+/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  const comment = comments.find((candidate) => /\p{L}{2}/u.test(candidate) && !legal.test(candidate));
  return comment === undefined ? undefined : firstSentence(comment);
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0].replace(/[.]$/, '') ?? text;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const typeNames: Readonly<Record<string, string>> = {
  '.ts': 'TypeScript',
  '.tsx': 'TypeScript',
  '.mts': 'TypeScript',
  '.js': 'JavaScript',
  '.mjs': 'JavaScript',
  '.cjs': 'JavaScript',
  '.jsx': 'JavaScript',
  '.py': 'Python',
  '.go': 'Go',
  '.rs': 'Rust',
  '.java': 'Java',
  '.kt': 'Kotlin',
  '.cs': 'C#',
  '.c': 'C',
  '.h': 'C headers',
  '.cpp': 'C++',
  '.cc': 'C++',
  '.rb': 'Ruby',
  '.php': 'PHP',
  '.sh': 'shell scripts',
  '.md': 'Markdown',
  '.json': 'JSON',
  '.yml': 'YAML',
  '.yaml': 'YAML',
  '.toml': 'TOML',
  '.html': 'HTML',
  '.css': 'CSS',
  '.svg': 'SVG images',
  '.png': 'PNG images',
  '.jpg': 'JPEG images',
  '.txt': 'plain text',
  '.csv': 'CSV tables',
  '.sql': 'SQL',
};

function nameOfType(type: string): string {
  if (type === noExtension) return 'Files without an extension';
  return Object.hasOwn(typeNames, type) ? `${typeNames[type]}` : `${prose(type)} files`;
}
