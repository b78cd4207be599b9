/** The read-only tools of the surveying agents, on one folder. They read, and do nothing else. */
import type { AgentTool, JsonObject, JsonValue } from '../../src/index.ts';
import { findChanges, waitMsMax } from './changes.ts';
import { listImports } from './imports.ts';
import { listDirectory } from './listing.ts';
import { measure } from './measure.ts';
import { readText } from './read.ts';
import { search, wordsMax } from './search.ts';
import type { Scope } from './walk.ts';
import { Refusal, skippedNames, type Workspace } from './workspace.ts';

export function workspaceTools(workspace: Workspace): AgentTool[] {
  return [
    tool({
      name: 'list_directory',
      description: `Lists one directory: its directories with the number of files below each, its files, and everything else. ${leftOut}`,
      properties: { path: pathSchema },
      required: ['path'],
      run: (input, signal) => listDirectory(workspace, input.path, signal),
    }),
    tool({
      name: 'read_file',
      description: 'Reads lines of one text file.',
      properties: {
        path: pathSchema,
        first_line: { type: 'integer', minimum: 1, description: 'default 1' },
        lines_max: { type: 'integer', minimum: 1, maximum: 2_000, description: 'default 200' },
      },
      required: ['path'],
      run: (input) =>
        readText(workspace, {
          path: input.path,
          firstLine: wholeNumber(input.first_line, 1, Number.MAX_SAFE_INTEGER, 1),
          linesMax: wholeNumber(input.lines_max, 1, 2_000, 200),
        }),
    }),
    tool({
      name: 'measure_tree',
      description: `Counts files, lines (newline bytes, as wc -l does) and bytes, by type; names the largest files, and what is unreadable, linked, special or left out. ${leftOut}`,
      properties: { ...scopeSchemas, largest_max: { type: 'integer', minimum: 1, maximum: 50, description: 'default 10' } },
      required: ['paths'],
      run: (input, signal) =>
        measure(workspace, { ...scopeOf(input), largestMax: wholeNumber(input.largest_max, 1, 50, 10) }, signal),
    }),
    tool({
      name: 'search_text',
      description: 'Finds lines of text files that hold at least one of the words. Words are plain text, not patterns.',
      properties: {
        ...scopeSchemas,
        words: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: wordsMax },
        whole_word: { type: 'boolean', description: 'default false' },
        case_sensitive: { type: 'boolean', description: 'default false' },
        matches_max: { type: 'integer', minimum: 1, maximum: 200, description: 'lines to return, default 20; all are counted' },
      },
      required: ['paths', 'words'],
      run: (input, signal) => search(workspace, searchRequest(input), signal),
    }),
    tool({
      name: 'list_imports',
      description:
        'Lists what source files import and export, for JavaScript, TypeScript, Python, Go, Rust, Java, Kotlin, C#, C, C++, Ruby and PHP.',
      properties: scopeSchemas,
      required: ['paths'],
      run: (input, signal) => listImports(workspace, scopeOf(input), signal),
    }),
    watchTool(workspace),
  ];
}

function watchTool(workspace: Workspace): AgentTool {
  return tool({
    name: 'watch_tree',
    description:
      'Waits, then says which files and directories have changed since a time, and the time at which it looked. Without a time it only tells the time.',
    properties: {
      paths: scopeSchemas.paths,
      since: { type: 'integer', minimum: 0, description: 'milliseconds since 1970: "at" of an earlier look' },
      wait_ms: { type: 'integer', minimum: 0, maximum: waitMsMax, description: 'default 0' },
    },
    required: ['paths'],
    run: (input, signal) =>
      findChanges(
        workspace,
        {
          paths: scopeOf(input).paths,
          since: input.since === undefined ? undefined : wholeNumber(input.since, 0, Number.MAX_SAFE_INTEGER, 0),
          waitMs: wholeNumber(input.wait_ms, 0, waitMsMax, 0),
        },
        signal,
      ),
  });
}

const leftOut = `Entries named ${skippedNames.join(', ')} are left out; symbolic links are never followed.`;
const pathSchema: JsonObject = { type: 'string', description: 'from the folder, "." for the folder itself' };
const scopeSchemas = {
  paths: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: 2_000,
    description: 'files or directories, from the folder',
  },
  scope: { type: 'string', enum: ['all', 'direct'], description: 'direct: the files of a directory, none below; default all' },
} satisfies JsonObject;

interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** What it returns is plain data. */
  run(input: JsonObject, signal: AbortSignal): object | Promise<object>;
}

function tool({ name, description, properties, required, run }: ToolSpec): AgentTool {
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    execute: async (input, { signal }) => (await run(toObject(input), signal)) as JsonValue,
  };
}

function toObject(input: JsonValue): JsonObject {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as JsonObject;
  throw new Refusal('the input is an object');
}

function scopeOf(input: JsonObject): { paths: readonly JsonValue[]; scope: Scope } {
  const { paths, scope = 'all' } = input;
  if (!Array.isArray(paths) || paths.length === 0 || paths.length > 2_000)
    throw new Refusal('paths is a list of 1 to 2000 paths');
  if (scope !== 'all' && scope !== 'direct') throw new Refusal('scope is "all" or "direct"');
  return { paths, scope };
}

function searchRequest(input: JsonObject) {
  const words = Array.isArray(input.words) ? input.words : [];
  if (!words.every((word) => typeof word === 'string')) throw new Refusal('words is a list of texts');
  return {
    ...scopeOf(input),
    words,
    wholeWord: input.whole_word === true,
    caseSensitive: input.case_sensitive === true,
    matchesMax: wholeNumber(input.matches_max, 1, 200, 20),
  };
}

function wholeNumber(value: JsonValue | undefined, min: number, max: number, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new Refusal(`a number is a whole one from ${min} to ${max}`);
}
