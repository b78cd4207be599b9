/** Whether a name means something declared in the file rather than the global of that name. Enough for block-scoped code. */
import { isNode, type SyntaxNode } from './syntax.ts';

export function isBound(name: string, ancestors: readonly SyntaxNode[]): boolean {
  return ancestors.some((node) => namesDeclaredBy(node).includes(name));
}

/** The names that a scope node declares for everything inside it. */
function namesDeclaredBy(node: SyntaxNode): string[] {
  const declared: unknown[] = [node.param];
  if (Array.isArray(node.params)) declared.push(...node.params);
  if (node.type === 'Program' || node.type === 'BlockStatement' || node.type === 'StaticBlock')
    declared.push(...asArray(node.body));
  if (node.type === 'SwitchCase') declared.push(...asArray(node.consequent));
  if (node.type.startsWith('For')) declared.push(node.init, node.left);
  if (node.type === 'FunctionExpression' || node.type === 'ClassExpression') declared.push(node.id);
  return declared.flatMap(namesIn);
}

/** The names bound by a declaration, a pattern or an import statement. */
function namesIn(node: unknown): string[] {
  if (!isNode(node)) return [];
  switch (node.type) {
    case 'Identifier':
      return [String(node.name)];
    case 'VariableDeclaration':
      return asArray(node.declarations).flatMap((declarator) => (isNode(declarator) ? namesIn(declarator.id) : []));
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return namesIn(node.id);
    case 'ExportNamedDeclaration':
      return namesIn(node.declaration);
    case 'ImportDeclaration':
      return asArray(node.specifiers).flatMap((specifier) => (isNode(specifier) ? namesIn(specifier.local) : []));
    case 'ObjectPattern':
      return asArray(node.properties).flatMap((property) =>
        isNode(property) ? namesIn(property.value ?? property.argument) : [],
      );
    case 'ArrayPattern':
      return asArray(node.elements).flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(node.left);
    case 'RestElement':
      return namesIn(node.argument);
    default:
      return [];
  }
}

function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
