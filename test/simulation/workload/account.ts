/**
 * Compares the account of what was asked with what the logs say in the end: what was done is there once; what was not done is
 * nowhere; what is unknown is there once or not at all; and nothing is there that nobody sent (R1 to R3). Each sender's messages
 * to one receiver lie in the order in which they were sent.
 */
import type { RecordedSession } from '../../../src/testing/trace/trace.ts';
import type { Ledger, Sent } from './ledger.ts';

interface Place {
  readonly session: string;
  readonly seq: number;
  readonly messageId: string;
}

const marks = /#[a-z0-9]+-\d+#/g;

export function accountProblems(ledger: Ledger, sessions: readonly RecordedSession[]): string[] {
  const places = placesOf(sessions);
  const problems: string[] = [];
  const known = new Set(ledger.sent.map(({ mark }) => mark));
  for (const mark of places.keys()) if (!known.has(mark)) problems.push(`${mark} is in a log and was never sent`);
  for (const sent of ledger.sent) problems.push(...sentProblems(sent, places.get(sent.mark) ?? []));
  return [...problems, ...orderProblems(ledger, places)];
}

function sentProblems({ mark, kind, outcome, messageId, to }: Sent, places: readonly Place[]): string[] {
  if (places.length > 1) return [`the ${kind} ${mark} is in ${places.length} places`];
  const [place] = places;
  if (outcome === 'not done') {
    // a start that fails is taken back; until then, and if that fails as well, its session is there without having run
    return place === undefined || kind === 'start' ? [] : [`the ${kind} ${mark} was refused and is in ${place.session}`];
  }
  if (outcome !== 'done' || messageId === undefined) return [];
  if (place === undefined) return [`the ${kind} ${mark} was accepted and is nowhere`];
  if (place.messageId !== messageId) return [`the ${kind} ${mark} was accepted as ${messageId} and is ${place.messageId}`];
  return to !== undefined && place.session !== to ? [`the ${kind} ${mark} for ${to} is in ${place.session}`] : [];
}

/** Of messages that one process sent from one agent to another without waiting. */
function orderProblems(ledger: Ledger, places: ReadonlyMap<string, readonly Place[]>): string[] {
  const last = new Map<string, { seq: number; mark: string }>();
  const problems: string[] = [];
  for (const { kind, from, to, process, mark } of ledger.sent) {
    const place = places.get(mark)?.[0];
    if (kind !== 'message' || place === undefined) continue;
    const pair = `${process.name} ${from} ${to}`;
    const before = last.get(pair);
    if (before !== undefined && before.seq > place.seq) problems.push(`${mark} overtook ${before.mark} on the way to ${to}`);
    last.set(pair, { seq: place.seq, mark });
  }
  return problems;
}

/** Where each mark was accepted as a message. What a fork inherited is its donor's. */
function placesOf(sessions: readonly RecordedSession[]): Map<string, Place[]> {
  const places = new Map<string, Place[]>();
  for (const { header, events } of sessions) {
    for (const event of events.slice(header.inheritedEvents)) {
      if (event.type !== 'inbox/inserted' || event.data.source.form === 'notice') continue;
      const text = event.data.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      for (const mark of new Set(text.match(marks))) {
        const found = places.get(mark) ?? [];
        found.push({ session: header.id, seq: event.seq, messageId: event.data.messageId });
        places.set(mark, found);
      }
    }
  }
  return places;
}
