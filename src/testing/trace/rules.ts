/** What a recorded trace is judged by. The names are stable: tests and scripts may branch on them. */

export interface TraceRule {
  /** Requirements and properties that it belongs to: `S3.5, P13`. */
  readonly numbers: string;
  /** The promise, in a sentence or two. */
  readonly promise: string;
  /**
   * `always`: at every moment, also after a crash. `store`: the same, and needs a store to be compared with. `settled`: only
   * where everything has come to rest.
   */
  readonly holds: 'always' | 'store' | 'settled';
}

const always = (numbers: string, promise: string): TraceRule => ({ numbers, promise, holds: 'always' });
const inStore = (numbers: string, promise: string): TraceRule => ({ numbers, promise, holds: 'store' });
const settled = (numbers: string, promise: string): TraceRule => ({ numbers, promise, holds: 'settled' });

export const traceRules = {
  'event-form': always(
    'S10.1',
    'Every event has a type that is known, the fields of that type, and a finite time; the wall clock may jump.',
  ),
  sequence: always('S10.1, R7', 'The events of a log are numbered from 0 without a gap.'),
  header: always(
    'S1.10, S1.12',
    'A header says of its session what is so: one session for each id, a child has a parent that is there, is one level below it, belongs to its project and has the origin of a subagent.',
  ),
  seed: always(
    'S7.3, P19',
    'What a session was seeded with is the beginning of another log, copied event by event, and ends with a turn that has ended.',
  ),
  birth: always(
    'S6.5, S1.3',
    'A child begins, behind its seed, with its one descriptor and the one prompt of its parent; a top-level session has neither.',
  ),
  'message-once': always(
    'S3.5, S3.7, R2, P13',
    'A message is accepted once in all logs. A request id belongs to its caller, who may use it again for another child.',
  ),
  'message-leaves-once': always(
    'S3.5, R1, R2, P13',
    'Only what waits is claimed or discarded, so each message leaves once or waits.',
  ),
  'waking-count': always('S10.1', 'A claim and a discard count the waking messages among theirs.'),
  'message-source': always(
    'S3.1, S3.4, S3.7, P35, P37',
    'A message says truly who sent it: the direct parent or a direct child, a person, the host; lane and waking are those of its kind.',
  ),
  'queue-change': always(
    'S3.8',
    'Only what waits is edited or promoted, never a notice, and only a message that would open a turn is promoted.',
  ),
  'claim-order': always(
    'S3.5, R3, P14',
    'What waits in one lane is claimed in the order of its acceptance, and so is what one sender sent there. What a person promoted has its place from then on.',
  ),
  'turn-opening': always(
    'S3.5, S3.2',
    'A turn begins together with its claim, which wakes it: at most one message of the turn lane, and what waits in the step lane. Inside a turn only the step lane is claimed.',
  ),
  'one-turn': always('S2.1, R4', 'A session has one turn at a time, each begins once, and only the one that is open ends.'),
  'turn-entries': always('S3.5, P20', 'Answers, results, submissions and claims belong to the turn that is open.'),
  'tool-balance': always(
    'P18, S10.1',
    'Every tool call has exactly one result before the model speaks again, is told more, or the turn ends; no result is without its call.',
  ),
  'interrupted-turn': always(
    'P18, S10.1',
    'A turn that was cut off is closed as an error by a later owner of the session, together with the word to the model, which comes nowhere else.',
  ),
  'epoch-order': always(
    'S10.2, R4, P20',
    'Epochs never fall: nothing is written for an activation after a later one began, or after its parent was told of its end.',
  ),
  'run-id': always('S5.5, P34', 'A run id belongs to one activation.'),
  'end-outside-turn': always('S2.4, P11', 'An activation does not end inside a turn.'),
  'end-agrees': always(
    'S5.2, P05, P27',
    'The end of an activation says what its last turn came to, unless it was stopped or failed.',
  ),
  diagnostic: always('S5.4', 'A diagnostic has at most 4,096 bytes and is of no completed end.'),
  'structured-result': always(
    'S5.3, S2.9, P26',
    'A structured result is handed in only where one was asked for, in the first activation, and no turn of that completes before it is.',
  ),
  'closed-inbox': always(
    'S2.9, P13',
    'What comes after the turn that handed in a structured result waits for the next activation.',
  ),
  catalog: always(
    'S6.1, S6.2, S1.6',
    'A session lists each child once, as that child is, and nobody else’s; a local child that its parent does not list has its prompt and nothing more.',
  ),
  'notice-key': always(
    'S3.9, R2, P15',
    'A notice is in the log of the parent, tells of a child that is listed before it, and has the key under which an activation of that child ends: `<child id>:<epoch>`.',
  ),
  'notice-caller': always(
    'S3.9, S8.1, P15',
    'What went to the caller is not told to the parent as well, unless the caller’s turn was cut off before it heard.',
  ),
  'notice-content': always(
    'S3.9, P27, P30',
    'A notice says what the child’s log says: how the activation ended, its diagnostic, its value and its last words.',
  ),
  'notice-mark': always(
    'S3.9, P15',
    'A child marks an end as told once, after it announced that end and the parent’s log has the notice. An end that a message overtook is none, unless it was stopped or failed.',
  ),
  'store-index': inStore('S6.3, S10.1', 'The store lists, counts and numbers its sessions as their logs do.'),
  'store-pending': inStore('S10.1', 'The store says of every session that nobody holds what it owes, and lists it only then.'),
  'settled-turn': settled('S10.1, R13', 'No turn is open.'),
  'settled-mail': settled(
    'S2.1, S4.1, R13',
    'No waking message waits, except where a stop left it: for an agent whose last turn or activation was aborted.',
  ),
  'settled-end': settled('S2.4, R13', 'Every activation of a child has written its end.'),
  'settled-notice': settled(
    'S3.9, R13',
    'Every announced end was told and marked as told, and what was told is an end that the child’s log has; external children that are listed have reported.',
  ),
  'settled-catalog': settled('S6.1, R13', 'Every local child is listed by its parent.'),
} as const satisfies Readonly<Record<string, TraceRule>>;

export type TraceRuleName = keyof typeof traceRules;
