/** Spoils of what parents are told. */
import type { Draft } from '../draft.ts';
import type { Mutations } from './mutation.ts';
import { notice } from './places.ts';

export const mutationsOfNotices: Mutations = {
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
};

/** In the log of the root, where a notice is accepted and claimed. */
function rename(draft: Draft, key: string, other: string): void {
  draft.session('root').events = JSON.parse(JSON.stringify(draft.session('root').events).replaceAll(`"${key}"`, `"${other}"`));
}
