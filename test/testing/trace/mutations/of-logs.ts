/** Spoils of headers, births, forms and catalogs. */
import type { Draft } from '../draft.ts';
import type { Mutations } from './mutation.ts';
import { listing } from './places.ts';

export const mutationsOfLogs: Mutations = {
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
};

function spoilTime(draft: Draft, time: number): void {
  Object.assign(draft.event('worker', 'inbox/edited'), { time });
}
