/** Spoils of turns and what belongs to them. */
import type { Draft } from '../draft.ts';
import type { Mutations } from './mutation.ts';

export const mutationsOfTurns: Mutations = {
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
};

function cutTurn(draft: Draft): { stopReason: string; isInterrupted?: boolean } {
  return draft.session('root').events.find((event) => event.type === 'turn/ended' && event.data.isInterrupted === true)?.data as {
    stopReason: string;
  };
}
