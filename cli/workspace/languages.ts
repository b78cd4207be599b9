/**
 * How languages write imports and exports, as patterns for single lines. That is cheap and nearly right: code in a
 * multi-line string or comment counts too, and what a parser alone can see is missed.
 */
export interface Language {
  readonly name: string;
  readonly extensions: readonly string[];
  readonly imports: readonly RegExp[];
  readonly exports: readonly RegExp[];
  /** A bracketed list over many lines: `first` to `last`, one `item` on each line between. */
  readonly importBlock?: LineBlock;
  readonly exportBlock?: LineBlock;
  /** Whether an import means this project; such an import is a path from the importing file if `localIsPath`. */
  isLocal(specifier: string): boolean;
  readonly localIsPath: boolean;
  /** The package that a specifier belongs to. */
  packageOf(specifier: string): string;
}

export interface LineBlock {
  readonly first: RegExp;
  readonly last: RegExp;
  readonly item: RegExp;
}

const never = () => false;
const whole = (specifier: string) => specifier;
const before = (separator: string) => (specifier: string) => specifier.split(separator)[0] ?? specifier;

const javaScript: Language = {
  name: 'JavaScript and TypeScript',
  extensions: ['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx', '.vue', '.svelte'],
  imports: [
    /^\s*(?:import|export|\})[^'"`]*\bfrom\s*['"]([^'"]{1,300})['"]/,
    /^\s*import\s*['"]([^'"]{1,300})['"]/,
    /\b(?:require|import)\s*\(\s*['"]([^'"]{1,300})['"]\s*\)/g,
  ],
  exports: [
    /^export\s+(?:declare\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|class|const\s+enum|const|let|var|interface|type|enum|namespace)\s+([\p{L}_$][\w$]*)/u,
    /^export\s+(default)\b(?!\s+(?:async\s+|abstract\s+)*(?:function|class)\s*\*?\s*[\w$])/,
    /^export\s+(\*)\s*from\b/,
    /^export\s+\*\s*as\s+([\w$]+)/,
    /^(module\.exports)\b/,
    /^exports\.([\w$]+)\s*=/,
  ],
  exportBlock: {
    first: /^export\s+(?:type\s+)?\{/,
    last: /\}/,
    item: /(?:^|[{,])\s*(?:type\s+)?(?:[\w$]+\s+as\s+)?([\w$]+)\s*(?=[,}]|$)/g,
  },
  isLocal: (specifier) => specifier.startsWith('.'),
  localIsPath: true,
  packageOf: (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier,
};

const python: Language = {
  name: 'Python',
  extensions: ['.py', '.pyi'],
  imports: [/^\s*import\s+([\w.]+)/, /^\s*import\s.*?,\s*([\w.]+)/, /^\s*from\s+([\w.]+)\s+import\b/],
  exports: [/^(?:async\s+def|def|class)\s+([A-Za-z]\w*)/],
  isLocal: (specifier) => specifier.startsWith('.'),
  localIsPath: false,
  packageOf: before('.'),
};

const go: Language = {
  name: 'Go',
  extensions: ['.go'],
  imports: [/^import\s+(?:[\w.]+\s+)?"([^"]{1,300})"/],
  exports: [/^func\s+(?:\([^)]*\)\s*)?([A-Z]\w*)/, /^(?:type|var|const)\s+([A-Z]\w*)/],
  importBlock: { first: /^import\s*\(/, last: /^\s*\)/, item: /^\s*(?:[\w.]+\s+)?"([^"]{1,300})"/g },
  isLocal: (specifier) => specifier.startsWith('.'),
  localIsPath: true,
  packageOf: whole,
};

const rust: Language = {
  name: 'Rust',
  extensions: ['.rs'],
  imports: [/^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+(?:::)?(\w+)/, /^\s*extern\s+crate\s+(\w+)/],
  exports: [/^pub\s+(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|mod|type|const|static|union)\s+(\w+)/],
  isLocal: (specifier) => ['crate', 'self', 'super'].includes(specifier),
  localIsPath: false,
  packageOf: whole,
};

const jvm: Language = {
  name: 'Java and Kotlin',
  extensions: ['.java', '.kt', '.kts', '.scala', '.groovy'],
  imports: [/^\s*import\s+(?:static\s+)?([\w.]+)/],
  exports: [/^public\s+(?:(?:abstract|final|sealed|static)\s+)*(?:class|interface|enum|record)\s+(\w+)/],
  isLocal: never,
  localIsPath: false,
  packageOf: (specifier) => specifier.replace(/\.[A-Z*].*$/, ''),
};

const cSharp: Language = {
  name: 'C#',
  extensions: ['.cs'],
  imports: [/^\s*(?:global\s+)?using\s+(?:static\s+)?([A-Za-z][\w.]*)\s*;/],
  exports: [/^\s*public\s+(?:(?:abstract|sealed|static|partial|readonly)\s+)*(?:class|interface|struct|enum|record)\s+(\w+)/],
  isLocal: never,
  localIsPath: false,
  packageOf: whole,
};

const c: Language = {
  name: 'C and C++',
  extensions: ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx', '.m', '.mm'],
  imports: [/^\s*#\s*(?:include|import)\s*["<]([^">]{1,300})[">]/],
  exports: [],
  isLocal: never,
  localIsPath: false,
  packageOf: whole,
};

const ruby: Language = {
  name: 'Ruby',
  extensions: ['.rb'],
  imports: [/^\s*require\s+['"]([^'"]{1,300})['"]/, /^\s*require_relative\s+['"]\.?\/?([^'"]{1,300})['"]/],
  exports: [/^(?:class|module)\s+([A-Z][\w:]*)/],
  isLocal: never,
  localIsPath: false,
  packageOf: before('/'),
};

const php: Language = {
  name: 'PHP',
  extensions: ['.php'],
  imports: [/^use\s+\\?([\w\\]+)/],
  exports: [/^(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+(\w+)/],
  isLocal: never,
  localIsPath: false,
  packageOf: before('\\'),
};

const byExtension = new Map(
  [javaScript, python, go, rust, jvm, cSharp, c, ruby, php].flatMap((language) =>
    language.extensions.map((extension) => [extension, language] as const),
  ),
);

export function languageOf(fileType: string): Language | undefined {
  return byExtension.get(fileType);
}
