/** Parses a TypeScript file and walks its tree (ESTree with TypeScript's nodes). The parser is the one that Vite brings. */
import { parseSync } from 'vite';

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export function parse(path: string, source: string): SyntaxNode {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors.map((error) => error.message).join('; ')}`);
  return program as unknown as SyntaxNode;
}

/** Calls `visit` for each node, outer before inner. `ancestors` is nearest last and is valid only during the call. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => void): void {
  const ancestors: SyntaxNode[] = [];
  const enter = (current: SyntaxNode) => {
    visit(current, ancestors);
    ancestors.push(current);
    childrenOf(current).forEach(enter);
    ancestors.pop();
  };
  enter(node);
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** The text of a string literal node, else undefined. */
export function literalText(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Literal' && typeof value.value === 'string' ? value.value : undefined;
}

export function lineOf(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}
