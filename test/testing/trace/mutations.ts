/** Ways to spoil the recorded tree, each with the rule that must report it. */
import type { TraceRuleName } from '../../../src/testing/trace/rules.ts';
import type { Draft } from './draft.ts';

export interface Mutation {
  readonly rule: TraceRuleName;
  /** Other rules that cannot but report it too. */
  readonly also?: readonly TraceRuleName[];
  /** Whether everything is expected to be at rest. */
  readonly isSettled?: true;
  spoil(draft: Draft): void;
}

/** By what was done. */
export const mutations: Readonly<Record<string, Mutation>> = {
  'the time of an event is none': { rule: 'event-form', spoil: (draft) => spoilTime(draft, Number.NaN) },
  'an event is of a type that nobody knows': {
    rule: 'event-form',
    spoil: (draft) => Object.assign(draft.event('worker', 'inbox/edited'), { type: 'inbox/guessed' }),
  },
  'an event has lost a field': {
    rule: 'event-form',
    spoil: (draft) => {
      Reflect.deleteProperty(draft.data('worker', 'inbox/edited'), 'messageId');
    },
  },
  'a number is left out': {
    rule: 'sequence',
    spoil: (draft) => Object.assign(draft.event('root', 'activation/ended'), { seq: 999 }),
  },
  'a header has another version': { rule: 'header', spoil: (draft) => Object.assign(draft.header('worker'), { version: 2 }) },
  'a child is as deep as its parent': {
    rule: 'header',
    spoil: (draft) => Object.assign(draft.header('worker'), { delegationDepth: 0 }),
  },
  'a child belongs to another project': {
    rule: 'header',
    spoil: (draft) => Object.assign(draft.header('worker'), { project: '/elsewhere' }),
  },
  'a child has lost its origin': {
    rule: 'header',
    spoil: (draft) => {
      delete draft.header('worker').origin;
    },
  },
  'a word in a seed is another': {
    rule: 'seed',
    spoil: (draft) =>
      Object.assign(draft.session('forked').events[3]?.data as object, { content: [{ type: 'text', text: 'no' }] }),
  },
  'a seed ends in the middle of a turn': {
    rule: 'seed',
    spoil: (draft) => {
      draft.splice('forked', draft.header('forked').inheritedEvents - 1, 1);
      draft.header('forked').inheritedEvents--;
    },
  },
  'a descriptor comes twice': { rule: 'birth', spoil: (draft) => draft.double('worker', 'subagent/descriptor') },
  'a descriptor comes behind the prompt': { rule: 'birth', spoil: (draft) => draft.move('worker', 'subagent/descriptor', 1) },
  'a prompt is of somebody else': {
    rule: 'birth',
    spoil: (draft) => Object.assign(draft.data('worker', 'inbox/inserted').source, { senderSessionId: 'somebody' }),
  },
  'a message is accepted twice': { rule: 'message-once', spoil: (draft) => draft.double('worker', 'inbox/inserted', 2) },
  'a message is accepted in two logs': {
    rule: 'message-once',
    spoil: (draft) =>
      Object.assign(
        draft.data('root', 'inbox/inserted', -1),
        lastClaimed(draft, draft.data('waited', 'inbox/inserted').messageId),
      ),
  },
  'a message is claimed twice': {
    rule: 'message-leaves-once',
    spoil: (draft) => draft.data('worker', 'inbox/claimed', -1).messageIds.push('request:kept'),
  },
  'an acceptance is lost': { rule: 'message-leaves-once', spoil: (draft) => draft.drop('worker', 'inbox/inserted', 2) },
  'a claim counts wrong': {
    rule: 'waking-count',
    spoil: (draft) => Object.assign(draft.data('root', 'inbox/claimed'), { waking: 2 }),
  },
  'a message is of a stranger': {
    rule: 'message-source',
    spoil: (draft) => Object.assign(draft.data('worker', 'inbox/inserted', 2).source, { senderSessionId: 'stranger' }),
  },
  'a message of a person has the id of another request': {
    rule: 'message-source',
    spoil: (draft) => Object.assign(draft.data('worker', 'inbox/inserted', 4).source, { requestId: 'another' }),
  },
  'context wakes': {
    rule: 'message-source',
    also: ['waking-count'],
    spoil: (draft) => Object.assign(contextIn(draft), { wakes: true }),
  },
  'a message is edited when it has been claimed': {
    rule: 'queue-change',
    spoil: (draft) => draft.move('worker', 'inbox/edited', 12),
  },
  'a notice is edited': {
    rule: 'queue-change',
    spoil: (draft) =>
      draft.add('root', notice(draft) + 1, { type: 'inbox/edited', data: { messageId: 'worker:1', content: [] } }),
  },
  'a message is promoted twice': { rule: 'queue-change', spoil: (draft) => draft.double('worker', 'inbox/promoted') },
  'a message is overtaken in its batch': {
    rule: 'claim-order',
    spoil: (draft) => {
      const ids = draft.data('worker', 'inbox/claimed', 2).messageIds;
      ids.unshift(...ids.splice(1, 1));
    },
  },
  'a message is overtaken by the next turn': {
    rule: 'claim-order',
    spoil: (draft) => {
      const [one, other] = [draft.data('worker', 'inbox/claimed', 3), draft.data('worker', 'inbox/claimed', 4)];
      [one.messageIds, other.messageIds] = [other.messageIds, one.messageIds];
    },
  },
  'something comes between a turn and its claim': {
    rule: 'turn-opening',
    spoil: (draft) => draft.move('worker', 'turn/started', 1),
  },
  'two messages open one turn': {
    rule: 'turn-opening',
    spoil: (draft) => {
      draft.splice('worker', draft.place('worker', 'inbox/claimed', 4), 4);
      const claim = draft.data('worker', 'inbox/claimed', 3);
      claim.messageIds.push('request:edited');
      claim.waking = 2;
      claim.turnId = draft.data('worker', 'turn/started', 2).turnId;
      draft.data('worker', 'assistant/message', 2).content = [{ type: 'text', text: 'ok' }];
    },
  },
  'a turn is opened by what does not wake': {
    rule: 'turn-opening',
    also: ['message-source'],
    spoil: (draft) => {
      draft.data('root', 'inbox/inserted', -1).wakes = false;
      draft.data('root', 'inbox/claimed', -1).waking = 0;
    },
  },
  'a turn ends twice': { rule: 'one-turn', spoil: (draft) => draft.double('worker', 'turn/ended') },
  'a turn begins inside another': {
    rule: 'one-turn',
    also: ['turn-entries'],
    spoil: (draft) => draft.drop('worker', 'turn/ended', 2),
  },
  'an answer belongs to another turn': {
    rule: 'turn-entries',
    spoil: (draft) => Object.assign(draft.data('worker', 'assistant/message'), { turnId: 'another' }),
  },
  'a submission comes after its turn': {
    rule: 'turn-entries',
    also: ['structured-result'],
    spoil: (draft) => draft.move('valued', 'result/submitted', 1),
  },
  'a call has no result': { rule: 'tool-balance', spoil: (draft) => draft.drop('waited', 'tool/results') },
  'a call has two results': { rule: 'tool-balance', spoil: (draft) => draft.double('waited', 'tool/results') },
  'a result answers another call': {
    rule: 'tool-balance',
    spoil: (draft) => Object.assign(draft.data('waited', 'tool/results').content[0] ?? {}, { callId: 'another' }),
  },
  'a turn that was cut off was only aborted': {
    rule: 'interrupted-turn',
    spoil: (draft) => Object.assign(cutTurn(draft), { stopReason: 'aborted' }),
  },
  'a turn was not cut off after all': {
    rule: 'interrupted-turn',
    also: ['notice-caller'],
    spoil: (draft) => {
      delete cutTurn(draft).isInterrupted;
    },
  },
  'the owner whose turn was cut off goes on': {
    rule: 'interrupted-turn',
    spoil: (draft) => {
      for (const nth of [-1, -2, -3]) draft.data('root', 'turn/started', nth).epoch = 1;
    },
  },
  'an old owner writes behind a new one': {
    rule: 'epoch-order',
    spoil: (draft) => Object.assign(draft.data('root', 'turn/started', 2), { epoch: 2 }),
  },
  'a turn belongs to an activation that was told of': {
    rule: 'epoch-order',
    also: ['end-agrees'],
    spoil: (draft) => Object.assign(draft.data('worker', 'turn/started', -1), { epoch: 1 }),
  },
  'two activations are one run': {
    rule: 'run-id',
    spoil: (draft) =>
      Object.assign(draft.data('worker', 'activation/ended'), { runId: draft.data('failing', 'activation/ended').runId }),
  },
  'an activation ends before its turn': {
    rule: 'end-outside-turn',
    spoil: (draft) => draft.move('stopped', 'activation/ended', -2),
  },
  'an end says what no turn said': {
    rule: 'end-agrees',
    spoil: (draft) => Object.assign(draft.data('waited', 'activation/ended'), { stopReason: 'refusal' }),
  },
  'an end is completed and its turn is not': {
    rule: 'end-agrees',
    spoil: (draft) => Object.assign(draft.data('waited', 'turn/ended'), { stopReason: 'refusal' }),
  },
  'a diagnostic is too long': {
    rule: 'diagnostic',
    spoil: (draft) => Object.assign(draft.data('stopped', 'turn/ended'), { diagnostic: 'é'.repeat(2_049) }),
  },
  'a completed turn has a diagnostic': {
    rule: 'diagnostic',
    spoil: (draft) => Object.assign(draft.data('waited', 'turn/ended'), { diagnostic: 'all well' }),
  },
  'nobody had asked for the structured result': {
    rule: 'structured-result',
    spoil: (draft) => {
      delete draft.data('valued', 'subagent/descriptor').outputSchema;
    },
  },
  'a structured result is missing': {
    rule: 'structured-result',
    spoil: (draft) => Object.assign(draft.data('waited', 'subagent/descriptor'), { outputSchema: { type: 'object' } }),
  },
  'a message that came after the structured result is claimed': { rule: 'closed-inbox', spoil: claimLate },
  'a child is listed twice': { rule: 'catalog', spoil: (draft) => draft.double('root', 'subagent/child') },
  'a child is not listed': {
    rule: 'catalog',
    spoil: (draft) => draft.splice('root', listing(draft, 'waited'), 1),
  },
  'a child is listed under another label': {
    rule: 'catalog',
    spoil: (draft) => Object.assign(draft.data('root', 'subagent/child', 2), { label: 'another' }),
  },
  'somebody is listed who is not there': {
    rule: 'catalog',
    spoil: (draft) => draft.add('root', 1, { type: 'subagent/child', data: { id: 'ghost', mode: 'continuable', createdAt: 1 } }),
  },
  'an external child ends twice': { rule: 'notice-key', spoil: (draft) => rename(draft, 'remote-1:1', 'remote-1:2') },
  'a notice comes before its child is listed': {
    rule: 'notice-key',
    spoil: (draft) => {
      const accepted = draft.place('root', 'inbox/inserted', 4);
      draft.move('root', 'subagent/child', accepted - draft.place('root', 'subagent/child', 3), 3);
    },
  },
  'a notice has the key of no activation': {
    rule: 'notice-key',
    also: ['notice-mark'],
    spoil: (draft) => rename(draft, 'worker:2', 'worker:7'),
  },
  'an end announces another key than its own': {
    rule: 'notice-key',
    also: ['end-agrees'],
    spoil: (draft) => Object.assign(draft.data('valued', 'activation/ended'), { epoch: 2 }),
  },
  'what the caller heard is told to the parent': {
    rule: 'notice-caller',
    spoil: (draft) => {
      delete draft.data('failing', 'activation/ended').notice;
      draft.drop('failing', 'notice/delivered');
    },
  },
  'what a tool call answered is told once more': {
    rule: 'notice-caller',
    spoil: (draft) => {
      const key = `${draft.id('waited')}:1`;
      draft.data('waited', 'activation/ended').notice = key;
      const told = { ...structuredClone(draft.data('root', 'inbox/inserted', 2)), messageId: key };
      told.source = { ...told.source, senderSessionId: draft.id('waited'), summary: 'waited ended: completed' };
      told.content = [
        { type: 'text', text: 'Final text:\n' },
        { type: 'text', text: 'the answer' },
      ];
      draft.add('root', notice(draft), { type: 'inbox/inserted', data: told });
      const claim = draft.data('root', 'inbox/claimed', 2);
      claim.messageIds.unshift(key);
      claim.waking++;
    },
  },
  'a notice says another end': {
    rule: 'notice-content',
    spoil: (draft) => Object.assign(draft.data('root', 'inbox/inserted', 2).source, { summary: 'worker ended: aborted' }),
  },
  'a notice says other words': {
    rule: 'notice-content',
    spoil: (draft) => Object.assign(draft.data('root', 'inbox/inserted', 2).content.at(-1) ?? {}, { text: 'never said' }),
  },
  'a notice has lost the diagnostic': {
    rule: 'notice-content',
    spoil: (draft) => draft.data('root', 'inbox/inserted', 6).content.shift(),
  },
  'a notice has another value': {
    rule: 'notice-content',
    spoil: (draft) => Object.assign(draft.data('valued', 'result/submitted'), { value: { sum: 4 } }),
  },
  'an end is marked twice': { rule: 'notice-mark', spoil: (draft) => draft.double('worker', 'notice/delivered') },
  'an end is marked that was not announced': {
    rule: 'notice-mark',
    spoil: (draft) => draft.add('waited', 9, { type: 'notice/delivered', data: { notice: `${draft.id('waited')}:1` } }),
  },
  'a notice is lost': {
    rule: 'notice-mark',
    spoil: (draft) => {
      draft.splice('root', draft.place('root', 'inbox/inserted', 2), 5);
    },
  },
  'a turn is left open': {
    rule: 'settled-turn',
    isSettled: true,
    spoil: (draft) => draft.cut('root', draft.place('root', 'turn/ended', -1)),
  },
  'a message is left waiting': {
    rule: 'settled-mail',
    isSettled: true,
    spoil: (draft) => draft.add('root', draft.session('root').events.length, lateMessage('late')),
  },
  'an end is not written': { rule: 'settled-end', isSettled: true, spoil: (draft) => draft.drop('waited', 'activation/ended') },
  'an end is not marked': {
    rule: 'settled-notice',
    isSettled: true,
    spoil: (draft) => draft.drop('worker', 'notice/delivered', -1),
  },
  'an end is not told': {
    rule: 'settled-notice',
    isSettled: true,
    spoil: (draft) => {
      draft.drop('worker', 'notice/delivered', -1);
      draft.splice('root', draft.place('root', 'inbox/inserted', 3), 4);
      draft.splice('root', draft.place('root', 'turn/ended', 3), 1);
    },
  },
  'an end that was told is not written': {
    rule: 'settled-notice',
    also: ['notice-mark'],
    isSettled: true,
    spoil: (draft) => draft.drop('worker', 'activation/ended'),
  },
  'an external child does not report': {
    rule: 'settled-notice',
    isSettled: true,
    spoil: (draft) => draft.splice('root', draft.place('root', 'inbox/inserted', 4), 5),
  },
  'a start is left that nobody heard of': {
    rule: 'settled-catalog',
    isSettled: true,
    spoil: (draft) => {
      draft.splice('root', listing(draft, 'waited'), 1);
      draft.cut('waited', 2);
    },
  },
};

function spoilTime(draft: Draft, time: number): void {
  Object.assign(draft.event('worker', 'inbox/edited'), { time });
}

/** Of the message that is taken as its own by another log: the last claim of the root goes with it. */
function lastClaimed(draft: Draft, messageId: string): object {
  draft.data('root', 'inbox/claimed', -1).messageIds = [messageId];
  return { messageId };
}

function contextIn(draft: Draft): { wakes: boolean } {
  return draft.session('root').events.find((event) => event.type === 'inbox/inserted' && event.data.source.kind === 'context')
    ?.data as { wakes: boolean };
}

function cutTurn(draft: Draft): { stopReason: string; isInterrupted?: boolean } {
  return draft.session('root').events.find((event) => event.type === 'turn/ended' && event.data.isInterrupted === true)?.data as {
    stopReason: string;
  };
}

/** Where the root lists the child. */
function listing(draft: Draft, label: string): number {
  const id = draft.id(label);
  return draft.session('root').events.findIndex((event) => event.type === 'subagent/child' && event.data.id === id);
}

/** Where the root hears of the first end of the worker. */
function notice(draft: Draft): number {
  return draft.place('root', 'inbox/inserted', 2);
}

/** In the log of the root, where a notice is accepted and claimed. */
function rename(draft: Draft, key: string, other: string): void {
  draft.session('root').events = JSON.parse(JSON.stringify(draft.session('root').events).replaceAll(`"${key}"`, `"${other}"`));
}

function lateMessage(messageId: string) {
  const source = { kind: 'user', form: 'prompt' };
  return { type: 'inbox/inserted', data: { messageId, lane: 'turn', wakes: true, source, content: [] } } as const;
}

/** Another turn of the same activation, behind the one that handed in its result. */
function claimLate(draft: Draft): void {
  const turnId = 'late-turn';
  draft.add(
    'valued',
    draft.place('valued', 'turn/ended') + 1,
    lateMessage('late'),
    { type: 'inbox/claimed', data: { messageIds: ['late'], waking: 1, turnId } },
    { type: 'turn/started', data: { turnId, epoch: 1 } },
    { type: 'turn/ended', data: { turnId, stopReason: 'completed' } },
  );
}
