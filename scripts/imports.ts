/** Reads which file imports which. The layer rule and the cycle rule both work on this graph, so tests can hand them any graph. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root, sourceFiles } from './files.ts';
import { lineOf, literalText, parse, type SyntaxNode, walk } from './syntax.ts';

/**
 * `value` runs the other file when this one is loaded, `dynamic` only when the expression is reached, `type` never.
 * `import { type A }` is a `value` import: with verbatimModuleSyntax the statement stays when its names are erased.
 */
export type ImportKind = 'value' | 'type' | 'dynamic';

export interface Import {
  readonly from: string;
  /** A path in the repository for a relative import, else the specifier as written. */
  readonly to: string;
  readonly target: 'file' | 'package';
  readonly kind: ImportKind;
  readonly line: number;
}

export function readImports(folders: readonly string[]): Import[] {
  return sourceFiles(folders).flatMap((path) => importsOf(path, readFileSync(join(root, path), 'utf8')));
}

export function importsOf(path: string, source: string): Import[] {
  const found: Import[] = [];
  walk(parse(path, source), (node) => {
    const kind = importKind(node);
    const specifier = literalText(node.source);
    if (kind === undefined || specifier === undefined) return;
    found.push({ from: path, ...resolve(path, specifier), kind, line: lineOf(source, node.start) });
  });
  return found;
}

function importKind(node: SyntaxNode): ImportKind | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
      return node.importKind === 'type' ? 'type' : 'value';
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return node.exportKind === 'type' ? 'type' : 'value';
    case 'ImportExpression':
      return 'dynamic';
    case 'TSImportType':
      return 'type';
    default:
      return undefined;
  }
}

function resolve(from: string, specifier: string): Pick<Import, 'to' | 'target'> {
  if (!specifier.startsWith('.')) return { to: specifier, target: 'package' };
  return { to: posix.join(posix.dirname(from), specifier), target: 'file' };
}
