/** What a person does: asks a child, asks again because the answer was lost, changes what waits (S3.7, S3.8). */
import type { MessageId } from '../../../src/sessions/ids.ts';
import type { Random } from '../../../src/testing/simulation/random.ts';
import type { OpenHost } from './open-host.ts';

/** A message of a person that may wait still. */
export interface Asked {
  readonly childId: string;
  readonly messageId: MessageId;
  readonly mark: string;
}

export function askChild(open: OpenHost, random: Random, childId: string): void {
  const { process, ledger, host, simulation, root, driver } = open;
  const parentId = driver.agents.get(childId)?.parentId ?? root.id;
  const sent = ledger.note(process, 'person', 'person', childId);
  const request = {
    ...{ parentId, childId, requestId: sent.mark, content: [{ type: 'text', text: sent.mark }] as const },
    delivery: random.chance(0.5) ? ('queue' as const) : ('steer' as const),
  };
  ledger.requests.push({ request, sent });
  const asked = host.runtime.prompt(request);
  if (simulation.faults.strikes('duplicate-reply', 0.5)) operate(open, 'prompt', () => host.runtime.prompt(request));
  void ledger.follow(
    sent,
    asked.then((messageId) => {
      open.asked.push({ childId, messageId, mark: sent.mark });
      if (random.chance(0.3)) change(open, random, { childId, messageId, mark: sent.mark });
      return messageId;
    }),
  );
}

/** Also after a restart. It must not be there twice. */
export function askAgain({ ledger, host, process }: OpenHost, random: Random): void {
  if (ledger.requests.length === 0) return;
  const { request, sent } = random.pick(ledger.requests);
  const wasDone = sent.outcome === 'done';
  if (!wasDone) sent.outcome = 'open'; // what was refused may be accepted now
  host.runtime.prompt(request).then(
    (messageId) => {
      if (process.isAlive) Object.assign(sent, { outcome: 'done', messageId });
    },
    (error: unknown) => {
      if (!process.isAlive) return;
      if (!wasDone) sent.outcome = 'unknown';
      ledger.expect(error, 'prompt');
    },
  );
}

export function changeQueue(open: OpenHost, random: Random): void {
  if (open.asked.length > 0) change(open, random, random.pick(open.asked));
}

function change(open: OpenHost, random: Random, { childId, messageId, mark }: Asked): void {
  const kind = random.pick(['edit', 'remove', 'steer'] as const);
  const wanted =
    kind === 'edit' ? { kind, messageId, content: [{ type: 'text', text: `${mark} changed` }] as const } : { kind, messageId };
  operate(open, 'updateQueue', () => open.host.runtime.updateQueue(childId, wanted));
}

function operate({ ledger, process, simulation }: OpenHost, name: string, work: () => Promise<unknown>): void {
  void ledger.operate({ name, process, since: simulation.schedule.now, boundMs: Number.POSITIVE_INFINITY }, work);
}
