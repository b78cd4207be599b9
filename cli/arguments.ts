/** The command line, read once and for all. */
import { parseArgs } from 'node:util';
import { Failure } from './exit.ts';

export type Command =
  | {
      readonly name: 'run';
      readonly folder: string;
      readonly question?: string;
      readonly model?: string;
      readonly json: boolean;
      readonly isNew: boolean;
    }
  | { readonly name: 'ls'; readonly folder: string; readonly tree: boolean }
  | { readonly name: 'show'; readonly folder: string; readonly id: string }
  | { readonly name: 'check'; readonly folder: string }
  | { readonly name: 'send'; readonly folder: string; readonly id: string; readonly text: string; readonly model?: string }
  | { readonly name: 'help' | 'version' };

const options = {
  model: { type: 'string' },
  json: { type: 'boolean' },
  new: { type: 'boolean' },
  tree: { type: 'boolean' },
  dir: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

type Values = { [Name in keyof typeof options]?: (typeof options)[Name]['type'] extends 'string' ? string : boolean };

/** What each command takes: options, and how many words at least and at most. */
const shapes: Readonly<Record<string, { options: readonly (keyof Values)[]; words: readonly [number, number] }>> = {
  run: { options: ['model', 'json', 'new'], words: [0, 2] },
  ls: { options: ['tree', 'dir'], words: [0, 0] },
  show: { options: ['dir'], words: [1, 1] },
  check: { options: ['dir'], words: [0, 0] },
  send: { options: ['dir', 'model'], words: [2, 2] },
  help: { options: [], words: [0, 1] },
};

/** `modelByDefault` is what the environment names. Throws a usage `Failure`. */
export function parseCommand(args: readonly string[], modelByDefault: string | undefined): Command {
  const { values, positionals } = parse(args);
  const [name, ...words] = positionals;
  if (values.help || name === 'help') return { name: 'help' };
  if (values.version) return { name: 'version' };
  if (name === undefined) throw usage('say what to do');
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
  if (shape === undefined) throw usage(`there is no command ${JSON.stringify(name)}`);
  const foreign = Object.keys(values).find((option) => !shape.options.includes(option as keyof Values));
  if (foreign !== undefined) throw usage(`${name} takes no --${foreign}`);
  const [least, most] = shape.words;
  if (words.length < least) throw usage(`${name} needs ${name === 'send' ? 'an ID and a text' : 'an ID'}`);
  if (words.length > most) throw usage(`${name} takes no ${JSON.stringify(words[most])}`);
  return toCommand(name as 'run' | 'ls' | 'show' | 'check' | 'send', words, values, modelByDefault);
}

function toCommand(
  name: 'run' | 'ls' | 'show' | 'check' | 'send',
  words: string[],
  values: Values,
  modelByDefault: string | undefined,
): Command {
  const [first = '', second] = words;
  const folder = values.dir ?? '.';
  const named = values.model ?? (modelByDefault === '' ? undefined : modelByDefault);
  const model = named === undefined ? {} : { model: named };
  switch (name) {
    case 'run':
      return {
        name,
        folder: words.length > 0 ? first : '.',
        ...(second ? { question: second } : {}),
        ...model,
        json: values.json === true,
        isNew: values.new === true,
      };
    case 'ls':
      return { name, folder, tree: values.tree === true };
    case 'show':
      return { name, folder, id: first };
    case 'check':
      return { name, folder };
    case 'send':
      if (second === undefined || second.trim() === '') throw usage('send needs a text that is not empty');
      return { name, folder, id: first, text: second, ...model };
  }
}

function parse(args: readonly string[]): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // parseArgs throws for unknown options and for missing or unwanted values, in words that are fit to show.
    throw usage((error as Error).message.split('. ')[0] ?? '', error);
  }
}

function usage(what: string, cause?: unknown): Failure {
  return new Failure('usage', `${what}; see troupe help`, { cause });
}
