/** Spoils of activations, one after the other. */
import type { Draft } from '../draft.ts';
import type { Mutations } from './mutation.ts';
import { lateMessage } from './places.ts';

export const mutationsOfLives: Mutations = {
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
};

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
