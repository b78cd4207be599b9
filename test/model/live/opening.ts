/** Puts the subject on the stage, up to the moment at which its start waits for the test. */
import type { EventObject } from 'xstate';
import type { ActivationKind } from '../../../src/machines/index.ts';
import { admitResume, readStoredChild } from '../../../src/registry/resume.ts';
import type { OpenAgent } from '../../../src/registry/top-level-handle.ts';
import type { NewSessionEvent } from '../../../src/sessions/event.ts';
import type { MessageId, SessionId } from '../../../src/sessions/ids.ts';
import { type Stage, subjectId } from './stage.ts';

export interface Subject {
  readonly kind: ActivationKind;
  /** Started by its parent rather than resumed from the store. */
  readonly isFresh: boolean;
  readonly parentId: SessionId;
  /** Of a host, once it is open. */
  host: OpenAgent | undefined;
}

const prompt = [{ type: 'text', text: 'go' }] as const;

export async function openSubject(stage: Stage, kind: ActivationKind, events: readonly EventObject[]): Promise<Subject> {
  if (kind === 'host') return openHost(stage);
  const parentId = await openParent(stage);
  const start = startOf(events);
  const isCut = start === undefined && events.some(({ type }) => type === 'fence.lost');
  const isFresh = kind === 'external' || (!isCut && (start === undefined || (start.queued === 1 && start.parked === 0)));
  const subject: Subject = { kind, isFresh, parentId, host: undefined };
  if (kind === 'external') startExternal(stage);
  else if (isFresh) await startLocal(stage, parentId, events);
  else await resumeLocal(stage, parentId, start ?? { queued: 0, parked: 0 }, isCut);
  await stage.rest();
  return subject;
}

interface Mail {
  readonly queued: number;
  readonly parked: number;
}

function startOf(events: readonly EventObject[]): Mail | undefined {
  return events.find(({ type }) => type === 'activation.materialized') as never;
}

async function openParent(stage: Stage): Promise<SessionId> {
  const { runtime, driver, composition, ear } = stage;
  const opening = runtime.attachAgent({
    label: 'parent',
    cwd: '/project',
    composition,
    deliver(message) {
      stage.notices.push(message.messageId);
      stage.heldPlaceWhenTold ||= stage.registry.capacity.live > stage.others;
      return ear.ask();
    },
  });
  await stage.rest();
  driver.opening.give();
  const { id } = await opening;
  stage.parent = stage.registry.residents.get(id);
  return id;
}

async function openHost(stage: Stage): Promise<Subject> {
  const subject: Subject = { kind: 'host', isFresh: false, parentId: subjectId, host: undefined };
  const { runtime, composition } = stage;
  const opening = runtime.openAgent({ id: subjectId, label: 'subject', cwd: '/project', composition });
  stage.call(
    opening.then((host) => {
      subject.host = host;
    }),
  );
  await stage.rest();
  stage.adopt();
  return subject;
}

function startExternal(stage: Stage): void {
  const signal = new AbortController().signal;
  const request = { prompt, parent: parentOf(stage).agent };
  stage.call(stage.runtime.startActivation({ provider: 'outside', label: 'subject', request, signal, delivery: 'parent' }));
  stage.adopt();
}

/** Waits in the last write of its start, the entry in the parent's catalog. */
async function startLocal(stage: Stage, parentId: SessionId, events: readonly EventObject[]): Promise<void> {
  stage.holdNext('subagent/child', parentId);
  const signal = new AbortController().signal;
  const hasSchema = events.some(({ type }) => type === 'inbox.closed');
  const request = { prompt, parent: parentOf(stage).agent, ...(hasSchema && { outputSchema: { type: 'object' } }) };
  stage.call(
    stage.runtime.startActivation({
      provider: 'spawn',
      label: 'subject',
      childId: subjectId,
      request,
      signal,
      delivery: 'parent',
    }),
  );
  stage.adopt();
  await stage.rest();
  stage.driver.opening.give();
}

/** Waits for its driver before it opens its session. If its last turn was cut off, opening writes that, and loses the fence. */
async function resumeLocal(stage: Stage, parentId: SessionId, { queued, parked }: Mail, isCut: boolean): Promise<void> {
  const { registry, store, clock } = stage;
  const parent = parentOf(stage);
  const time = clock.now();
  const entry = { id: subjectId, mode: 'continuable', label: 'subject', createdAt: time } as const;
  await parent.session?.append([{ type: 'subagent/child', time, data: entry }]);
  const header = {
    version: 1,
    id: subjectId,
    createdAt: time,
    cwd: '/project',
    project: '/project',
    parentSession: parentId,
    origin: 'subagent',
    delegationDepth: 1,
    isSeeded: false,
    inheritedEvents: 0,
  } as const;
  const descriptor = { version: 1, provider: 'spawn', mode: 'continuable', label: 'subject', agentOptions: {} } as const;
  const mail = [...Array.from({ length: queued }, () => true), ...Array.from({ length: parked }, () => false)];
  await store.create(header, registry.owner, [
    { type: 'subagent/descriptor', time, data: descriptor },
    ...mail.map((wakes, index) => stored(parentId, `stored-${index}`, wakes, time)),
    ...(isCut ? [{ type: 'turn/started', time, data: { turnId: 'cut', epoch: 1 } } as const] : []),
  ]);
  if (isCut) stage.rejectNext('turn/ended', 'FENCED');
  const head = await store.head(subjectId);
  if (head === undefined) throw new Error('the session was not created');
  const child = await readStoredChild(registry, head);
  stage.call(admitResume(registry, parent, child).whenOpened());
  stage.adopt();
}

function stored(senderSessionId: SessionId, id: string, wakes: boolean, time: number): NewSessionEvent {
  const source = wakes
    ? ({ kind: 'agent-message', form: 'relay', senderSessionId } as const)
    : ({ kind: 'context', form: 'inject' } as const);
  return {
    type: 'inbox/inserted',
    time,
    data: { messageId: id as MessageId, lane: 'step', wakes, source, content: [...prompt] },
  };
}

export function parentOf(stage: Stage) {
  if (stage.parent === undefined) throw new Error('there is no parent on the stage');
  return stage.parent;
}
