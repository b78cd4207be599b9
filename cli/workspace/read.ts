/** The text of one file, a window of lines at a time. */
import { readHead, searchedBytesMax } from './contents.ts';
import { inspect } from './walk.ts';
import { Refusal, reasonOf, type Workspace } from './workspace.ts';

export interface ReadText {
  readonly path: string;
  /** Of the whole file. */
  readonly bytes: number;
  readonly firstLine: number;
  readonly text: string;
  /** Whether more follows. */
  readonly isCut: boolean;
}

export interface ReadRequest {
  readonly path: unknown;
  /** From 1. */
  readonly firstLine: number;
  readonly linesMax: number;
}

const textMax = 32 * 1024;

export function readText(workspace: Workspace, request: ReadRequest): ReadText {
  const file = inspect(workspace.locate(request.path));
  if (file.kind !== 'file') throw new Refusal(`this path is no regular file (${file.kind})`);
  const head = tryRead(() => readHead(file, searchedBytesMax));
  if (head.text === undefined) throw new Refusal(`this file is binary, ${head.bytes} bytes`);
  const lines = head.text.split('\n');
  const window = lines.slice(request.firstLine - 1, request.firstLine - 1 + request.linesMax);
  const text = window.join('\n');
  return {
    path: file.path,
    bytes: head.bytes,
    firstLine: request.firstLine,
    text: text.slice(0, textMax),
    isCut: head.isCut || text.length > textMax || request.firstLine - 1 + request.linesMax < lines.length,
  };
}

function tryRead<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new Refusal(`this file cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
