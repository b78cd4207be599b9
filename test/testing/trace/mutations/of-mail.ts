/** Spoils of what is accepted, changed and claimed. */
import type { Draft } from '../draft.ts';
import type { Mutations } from './mutation.ts';
import { notice } from './places.ts';

export const mutationsOfMail: Mutations = {
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
};

/** Of the message that is taken as its own by another log: the last claim of the root goes with it. */
function lastClaimed(draft: Draft, messageId: string): object {
  draft.data('root', 'inbox/claimed', -1).messageIds = [messageId];
  return { messageId };
}

function contextIn(draft: Draft): { wakes: boolean } {
  return draft.session('root').events.find((event) => event.type === 'inbox/inserted' && event.data.source.kind === 'context')
    ?.data as { wakes: boolean };
}
