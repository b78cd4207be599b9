/**
 * The determinism rule: outside src/ports and src/sessions/stores no source file reads a clock, sets a timer, draws a random
 * value or touches the world. Those come through ports, so that a run replays from its seed. Types are free.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, sourceFiles } from './files.ts';
import { isBound } from './scope.ts';
import { childrenOf, isNode, lineOf, literalText, parse, type SyntaxNode } from './syntax.ts';

const exemptFolders = ['src/ports/', 'src/sessions/stores/'];

const globals = new Set([
  ...['setTimeout', 'setInterval', 'setImmediate', 'fetch', 'WebSocket', 'EventSource', 'process'],
  // Missing in Node 22, the oldest version that we support.
  ...['DisposableStack', 'AsyncDisposableStack'],
]);

const members = new Set([
  ...['Date.now', 'Math.random', 'performance.now', 'performance.timeOrigin', 'AbortSignal.timeout'],
  ...['crypto.randomUUID', 'crypto.getRandomValues'],
]);

const modules =
  /^(node:)?(fs|child_process|net|tls|dgram|dns|http|https|http2|timers|process|cluster|worker_threads|perf_hooks|sqlite)(\/.*)?$/;

/** Names that hide a timer or chance in a module that is allowed otherwise. */
const namesByModule: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID', 'webcrypto', 'default', '*'],
  rxjs: [
    'asyncScheduler',
    'auditTime',
    'bufferTime',
    'debounceTime',
    'delay',
    'interval',
    'sampleTime',
    'throttleTime',
    'timeout',
    'timer',
  ],
};

export function readDeterminism(): string[] {
  return sourceFiles(['src']).flatMap((path) => forbiddenUses(path, readFileSync(join(root, path), 'utf8')));
}

export function forbiddenUses(path: string, source: string): string[] {
  if (exemptFolders.some((folder) => path.startsWith(folder))) return [];
  const problems: string[] = [];
  walkValues(parse(path, source), [], (node, ancestors) => {
    for (const name of usesOf(node, ancestors)) {
      problems.push(`${path}:${lineOf(source, node.start)} uses ${name}: take it from a port (src/ports)`);
    }
  });
  return problems;
}

function usesOf(node: SyntaxNode, ancestors: readonly SyntaxNode[]): string[] {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return importedUses(node);
    case 'NewExpression':
    case 'CallExpression':
      return isGlobal(node.callee, 'Date', ancestors) ? ['Date'] : [];
    case 'MemberExpression':
      return memberUses(node, ancestors);
    case 'Identifier':
      return isReference(node, ancestors.at(-1)) && globals.has(String(node.name)) && !isBound(String(node.name), ancestors)
        ? [String(node.name)]
        : [];
    default:
      return [];
  }
}

function importedUses(node: SyntaxNode): string[] {
  const specifier = literalText(node.source);
  if (specifier === undefined) return [];
  if (modules.test(specifier)) return [specifier];
  const names = namesByModule[specifier] ?? [];
  const specifiers = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : [];
  return specifiers.map(importedName).flatMap((name) => (names.includes(name) ? [`${name} of ${specifier}`] : []));
}

function importedName(specifier: SyntaxNode): string {
  if (specifier.type === 'ImportDefaultSpecifier') return 'default';
  if (specifier.type === 'ImportNamespaceSpecifier') return '*';
  const name = specifier.type === 'ExportSpecifier' ? specifier.local : specifier.imported;
  return isNode(name) ? String(name.name ?? name.value) : '';
}

/** `Date.now`, `globalThis.fetch`, `globalThis.Date.now`. An alias of such an object is not followed. */
function memberUses(node: SyntaxNode, ancestors: readonly SyntaxNode[]): string[] {
  const path = memberPath(node);
  const [first = '', ...rest] = path;
  if (first === '' || isBound(first, ancestors)) return [];
  if (first !== 'globalThis') return members.has(path.join('.')) ? [path.join('.')] : [];
  return globals.has(rest.join('.')) || members.has(rest.join('.')) ? [path.join('.')] : [];
}

function memberPath(node: unknown): string[] {
  if (!isNode(node)) return [''];
  if (node.type === 'Identifier') return [String(node.name)];
  if (node.type !== 'MemberExpression') return [''];
  const property = node.computed ? literalText(node.property) : isNode(node.property) ? String(node.property.name) : undefined;
  return [...memberPath(node.object), property ?? ''];
}

function isGlobal(node: unknown, name: string, ancestors: readonly SyntaxNode[]): boolean {
  const path = memberPath(node).join('.');
  return (path === name && !isBound(name, ancestors)) || path === `globalThis.${name}`;
}

/** False for `a.fetch` and for keys: there the name is a property, not the global. */
function isReference(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent === undefined || parent.computed === true) return true;
  if (parent.type === 'MemberExpression') return parent.property !== node;
  if (parent.type.endsWith('Specifier') || parent.type === 'LabeledStatement' || parent.type === 'MetaProperty') return false;
  return parent.key !== node;
}

/** Walks what runs: type annotations and type-only statements are left out. */
function walkValues(node: SyntaxNode, ancestors: SyntaxNode[], visit: (node: SyntaxNode, ancestors: SyntaxNode[]) => void): void {
  if (node.importKind === 'type' || node.exportKind === 'type' || node.declare === true) return;
  const wrapsValue = isNode(node.expression) && node.type.startsWith('TS');
  if (node.type.startsWith('TS') && !wrapsValue) return;
  visit(node, ancestors);
  ancestors.push(node);
  for (const child of childrenOf(node)) walkValues(child, ancestors, visit);
  ancestors.pop();
}
