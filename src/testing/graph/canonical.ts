/**
 * A text for any value: equal texts for equal values, whatever JSON leaves out (functions, Maps, Sets, class instances, cycles).
 * Functions count by name, actors by what they run, instances by class and visible fields or their `toJSON`. What an object hides
 * (private fields, a closure) is not seen.
 */

/** Longer texts are cut off, and so no longer tell values apart: check the length. */
export const canonicalCharsMax = 20_000;

/** What lies deeper is not seen. */
const levelsMax = 200;

export function canonical(value: unknown): string {
  const writer = { text: '', open: [] as object[] };
  write(value, writer);
  return writer.text;
}

interface Writer {
  text: string;
  /** The objects that are being written, outermost first. */
  readonly open: object[];
}

function write(value: unknown, writer: Writer): void {
  if (writer.text.length > canonicalCharsMax) return;
  if (typeof value !== 'object' || value === null) {
    writer.text += primitive(value);
    return;
  }
  const depth = writer.open.indexOf(value);
  if (depth >= 0 || writer.open.length >= levelsMax) {
    writer.text += depth >= 0 ? `[up ${writer.open.length - depth}]` : '[deep]';
    return;
  }
  writer.open.push(value);
  writeObject(value, writer);
  writer.open.pop();
}

function primitive(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'bigint':
      return `${value}n`;
    case 'function':
      return `function ${value.name}`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    default:
      return String(value);
  }
}

function writeObject(value: object, writer: Writer): void {
  const kind = kindOf(value);
  if (isActor(value)) writer.text += `actor ${actorName(value)}`;
  else if (Array.isArray(value)) writeList('[', value, ']', writer);
  else if (value instanceof Set) writeList(`${kind}[`, [...value], ']', writer);
  else if (value instanceof Map) writeList(`${kind}[`, [...value], ']', writer);
  else if (ArrayBuffer.isView(value) && 'length' in value) writeList(`${kind}[`, Array.from(value as Uint8Array), ']', writer);
  else if (value instanceof Error) writer.text += `${kind}(${JSON.stringify(value.message)})`;
  else if (value instanceof RegExp) writer.text += String(value);
  else if ('toJSON' in value && typeof value.toJSON === 'function') writeHidden(kind, value.toJSON(), writer);
  else writeFields(kind, value, writer);
}

function writeList(before: string, items: readonly unknown[], after: string, writer: Writer): void {
  writer.text += before;
  for (const [index, item] of items.entries()) {
    if (index > 0) writer.text += ',';
    write(item, writer);
  }
  writer.text += after;
}

function writeHidden(kind: string, shown: unknown, writer: Writer): void {
  writer.text += `${kind}(`;
  write(shown, writer);
  writer.text += ')';
}

/** In the order of the keys: how an object was put together is no difference. */
function writeFields(kind: string, value: object, writer: Writer): void {
  writer.text += `${kind}{`;
  for (const [index, key] of Object.keys(value).sort().entries()) {
    writer.text += `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`;
    write((value as Record<string, unknown>)[key], writer);
  }
  writer.text += '}';
}

/** Empty for a plain object. */
function kindOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return '';
  return value.constructor?.name ?? '';
}

interface ActorLike {
  readonly id: string;
  readonly sessionId: string;
  readonly src?: unknown;
}

export function isActor(value: unknown): value is ActorLike {
  return typeof value === 'object' && value !== null && 'sessionId' in value && 'send' in value && 'id' in value;
}

/** Its id; what it runs, if XState made up the id: such an id is another one in every run. */
export function actorName(actor: ActorLike): string {
  if (actor.id !== actor.sessionId) return actor.id;
  return typeof actor.src === 'string' ? actor.src : 'inline';
}
