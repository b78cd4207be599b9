/** Rule `notice-content`: what a notice says, against what the log of its child says. */
import { textOf } from '../../sessions/content.ts';
import type { InboxMessage } from '../../sessions/message.ts';
import type { ActivationTrace } from './trace.ts';

export interface NoticeSubject {
  readonly id: string;
  readonly label: string;
  /** Of a local child, with its end: an external one has no log. */
  readonly activation?: ActivationTrace;
}

export function contentFault(content: InboxMessage['content'], summary: string, subject: NoticeSubject): string | undefined {
  const { label, activation } = subject;
  const end = activation?.end?.data;
  if (end === undefined) return summary.startsWith(`${label} ended: `) ? undefined : `its summary is not of ${label}`;
  const wanted = `${label} ended: ${end.stopReason}`;
  if (summary !== wanted) return `its summary is “${summary}”, not “${wanted}”`;
  const said = textOf(content);
  const isOfEnd =
    end.diagnostic === undefined ? !said.startsWith('Diagnostic: ') : said.startsWith(diagnosticLine(end.diagnostic));
  if (!isOfEnd) return 'its diagnostic is not that of the end';
  const behindDiagnostic = end.diagnostic === undefined ? said : said.slice(diagnosticLine(end.diagnostic).length);
  const line = valueLines(subject).find((one) => behindDiagnostic.startsWith(one));
  if (line === undefined) return 'its structured result is not the one that was handed in';
  const isWhole = hasWords(behindDiagnostic.slice(line.length), subject, end.stopReason === 'completed');
  return isWhole ? undefined : 'its text is not the last that the child said';
}

function diagnosticLine(diagnostic: string): string {
  return `Diagnostic: ${diagnostic}\n`;
}

/** Shown, or named where it is too large for a notice. */
function valueLines({ id, activation }: NoticeSubject): readonly string[] {
  const { submitted } = activation ?? {};
  if (submitted === undefined) return [''];
  const json = JSON.stringify(submitted.value);
  const bytes = Buffer.byteLength(json);
  return [`Structured result: ${json}\n`, `The structured result has ${bytes} bytes; read it by the id ${id}.\n`];
}

/** Whole, or cut and flagged with the true size. What was only streamed is in no log, and not judged. */
function hasWords(said: string, { id, activation }: NoticeSubject, isCompleted: boolean): boolean {
  if (activation?.words === undefined) return true;
  const words = textOf(activation.words);
  const opening = isCompleted ? 'Final text:\n' : 'Partial text:\n';
  if (said === `${opening}${words}`) return true;
  const cutNote = `\n[The text was cut. It has ${Buffer.byteLength(words)} bytes; read all of it by the id ${id}.]`;
  if (!said.endsWith(cutNote)) return false;
  const part = said.slice(0, -cutNote.length);
  return part === '' || (part.startsWith(opening) && words.startsWith(part.slice(opening.length)));
}
