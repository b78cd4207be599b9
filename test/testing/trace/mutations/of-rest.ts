/** Spoils of what is left when everything is at rest. */
import type { Mutations } from './mutation.ts';
import { lateMessage, listing } from './places.ts';

export const mutationsOfRest: Mutations = {
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
