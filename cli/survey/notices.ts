/** Tells what a message to an agent is by its first line, which only the runtime writes. */

/** A subagent whose end came as a notice. */
export interface Settled {
  readonly id: string;
  readonly label: string;
  readonly stopReason: string;
  /** What it left, with the runtime's headings. */
  readonly text: string;
}

export type Heard =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'settled'; readonly settled: Settled }
  /** The agent was cut off; `open` holds the labels of the subagents that are still to report, by id. */
  | { readonly kind: 'cut'; readonly open: ReadonlyMap<string, string> }
  | { readonly kind: 'context' };

export function hear(text: string): Heard {
  const [, id, label, stopReason, rest] =
    /^Notice from the runtime about subagent (\S+): (.*) ended: (\S+)(?:\n([\s\S]*))?$/.exec(text) ?? [];
  if (id !== undefined && label !== undefined && stopReason !== undefined) {
    return { kind: 'settled', settled: { id, label, stopReason, text: rest ?? '' } };
  }
  if (/^Notice from the runtime: your last turn was cut off\b/.test(text)) return { kind: 'cut', open: openSubagents(text) };
  if (/^(?:Notice from the runtime|Context from the host)\b/.test(text)) return { kind: 'context' };
  return { kind: 'words', text: text.replace(/^Agent \S+ sent a message:\n/, '') };
}

/** A label may hold commas and brackets; an id has 26 characters and no others than these. */
function openSubagents(text: string): Map<string, string> {
  const list = /^These subagents are not finished and report when they are: (.*)\.$/m.exec(text)?.[1] ?? '';
  const starts = [...list.matchAll(/(?:^|, )([a-z0-9]{26}) \(/g)];
  return new Map(
    starts.map((start, index) => {
      const end = starts[index + 1]?.index ?? list.length;
      return [start[1] ?? '', list.slice(start.index + start[0].length, end - 1)];
    }),
  );
}
