/**
 * The goals of the library, one by one: R for what holds when things fail, S for what holds against those who mean no good. Figures
 * are named in braces and stand in docs/figures.json under their step; no figure is written here.
 */
import type { StepName } from '../nightly/steps.ts';

export interface Goal {
  readonly id: string;
  readonly promise: string;
  /** What is counted, by step. Empty if there is nothing to count; then `uncounted` says why. */
  readonly counted: Readonly<Partial<Record<StepName, string>>>;
  readonly uncounted?: string;
  /** What the promise leaves out, and what no test has tried. */
  readonly leavesOut: string;
}

const simulated = '{seeds} seeds, {steps} steps, {faultKinds} kinds of faults; {violations} seeds with a violation of any kind';
const crashes = '{killPoints} kills, {powerCutRuns} power cuts; {killProblems} and {powerCutProblems} problems';

export const goals: readonly Goal[] = [
  {
    id: 'R1',
    promise: 'A message whose id was told is in the log and stays there, also when the process or the power goes.',
    counted: { sim: simulated, crash: crashes },
    leavesOut:
      'The memory store after its process; disks that lie about having synced. The power cuts are those of simulated disks.',
  },
  {
    id: 'R2',
    promise: 'No message is taken in twice and no end is told twice. Effects outside can come twice, under one idempotency key.',
    counted: {
      sim: '{struck.duplicate-reply} doubled replies, {struck.reply-after-cancel} after a cancel; {violations} seeds with a violation',
      crash: crashes,
    },
    leavesOut: 'Effects outside exactly once. A host-run parent can be told again after a crash, under the same key.',
  },
  {
    id: 'R3',
    promise: 'What one sender sends to one agent is claimed in the order in which it was accepted.',
    counted: { sim: '{seeds} seeds, {steps} steps; {violations} seeds with a violation' },
    leavesOut:
      'Order between senders. Messages for the next step come before those for the next turn, and people can promote messages.',
  },
  {
    id: 'R4',
    promise: 'A session has one live activation, also when several processes use the store; whoever lost it writes nothing more.',
    counted: {
      sim: '{struck.second-host} times a host stood still while another went on; {violations} seeds with a violation',
      crash: '{contests} contests of two processes, {contestProblems} problems',
    },
    leavesOut: 'Processes of several machines: a SQLite file belongs to one.',
  },
  {
    id: 'R5',
    promise: 'No process is left behind.',
    counted: {},
    uncounted: 'Nothing to count: no provider of this version starts processes.',
    leavesOut:
      'What a provider of yours starts. The conformance kit asks of it that nothing is left after a disposal; nobody ends its processes when the host is killed.',
  },
  {
    id: 'R6',
    promise: 'Children are released before their parent, and every step of a release has a bound.',
    counted: {
      sim: '{struck.bad-disposal} bad disposals, {struck.child-hangs} hanging children; {violations} seeds with a violation',
      paths: '{livePaths} paths walked with live agents, {edgesTaken} of {edges} edges taken',
    },
    leavesOut: 'What a turn does outside the library after it was given up.',
  },
  {
    id: 'R7',
    promise: 'A damaged store is refused with a code, or opens with every record as it was written.',
    counted: {
      fuzz: '{cuts} cuts, {flips} flipped bits, {nulRuns} runs of NUL bytes, {brokenPieces} other damages; {altered} stores altered in silence',
    },
    leavesOut:
      'A write-ahead log that lost its end together with the mark beside it, as when the power goes: it loses whole commits. At the size ci the places are samples; at night every byte of a closed store is cut and flipped.',
  },
  {
    id: 'R8',
    promise: 'A process that is killed at any call of its store leaves what the next one can go on with.',
    counted: {
      crash:
        '{killPoints} kills at the {killOperations} calls of one scenario; {killsWithoutRescue} stores not rescued, {killProblems} problems',
    },
    leavesOut: 'Kills between two system calls of one store call, other than by chance; further scenarios.',
  },
  {
    id: 'R9',
    promise:
      'A full or failing disk rejects with a code, acknowledges nothing, and is not asked again to write what it may have written.',
    counted: {
      crash:
        '{badWrites} failing writes, {writesRetried} asked again, {badWriteProblems} problems; {fullDisks} disks really full under a runtime',
      test: '{fullDisks} disks really full under a store',
    },
    leavesOut: 'A limit on the size of files (`EFBIG`): never tried.',
  },
  {
    id: 'R10',
    promise: 'A peer that dies, hangs, floods or talks rubbish settles each request once, in time.',
    uncounted: 'No provider of this version talks over a wire: what was tried are scripted peers, and one of real processes.',
    counted: {
      fuzz: '{badAnswers} rubbish answers of providers, drivers and hosts: each an end or a code, told once',
      test: '{conformanceCases} cases of the conformance kit passed',
    },
    leavesOut: 'Everything about wires: no line of a foreign protocol was ever read.',
  },
  {
    id: 'R11',
    promise: 'A cancel settles once, and what comes after it changes nothing.',
    counted: {
      sim: '{struck.reply-after-cancel} replies after a cancel, {struck.duplicate-reply} doubled; {violations} seeds with a violation',
      paths: '{livePaths} paths walked with live agents',
    },
    leavesOut: 'Orders beyond those that the seeds and the paths bring up: there is no search through all of them.',
  },
  {
    id: 'R12',
    promise: 'A child that fails stops neither its siblings nor its parent.',
    counted: {
      sim: '{struck.child-exits} children that failed, {struck.child-hangs} that hung; {violations} seeds with a violation',
      test: '{badActors} parts that fail, {escapes} errors escaped; the runtime goes on in each case',
    },
    leavesOut: 'Restarts: the runtime starts no child again by itself, so that there is no limit to them either.',
  },
  {
    id: 'R13',
    promise: 'When nothing fails any more, everything comes to its end.',
    counted: {
      sim: '{seeds} seeds, 200,000 steps for each; {violations} that came to no end or broke another rule',
      random: '{randomPrograms} random programs and {randomLives} random lives, all settled',
    },
    leavesOut: 'A child that never ends and is never stopped.',
  },
  {
    id: 'R14',
    promise: 'A simulated run is the same for the same seed.',
    counted: { sim: '{equalDigests.equal} of {equalDigests.of} seeds ran twice the same way' },
    leavesOut: 'Two operating systems or versions of Node side by side: both runs are on the same.',
  },
  {
    id: 'R15',
    promise: 'Databases of every release load and are recovered in the same way.',
    counted: { test: '{fixtures} recorded databases, also cut at each of {fixtureMoments} moments; {fixtureProblems} problems' },
    leavesOut: 'Releases before this one: there are none.',
  },
  {
    id: 'R16',
    promise: 'A life leaves nothing behind: no timer, listener, handle, descriptor or memory.',
    counted: {
      leaks:
        '{rounds} rounds in the registry, {processRounds} in a process of its own: {handlesLeft} handles, {descriptorsLeft} descriptors and {listenersLeft} listeners left, {heapBytesPerRound.lives} bytes of heap a round and {heapBytesPerRound.runtimes} with a runtime in each',
    },
    leavesOut:
      'What a live agent has by nature: its own log grows, and so does the list of ids that external children have used. No soak of hours.',
  },
  {
    id: 'R17',
    promise: 'No rejection goes unhandled, and nothing that a host hands in can break the runtime by throwing.',
    counted: { test: '{badActors} parts that fail in every way, {escapes} errors escaped' },
    leavesOut:
      'Parts that block the event loop or end the process. A trap in every suite fails the file in which an error escapes.',
  },
  {
    id: 'R18',
    promise: 'The checks find what they are there to find.',
    counted: {
      defects: '{found} of {defects} planted defects found within {seeds} seeds',
      paths: '{mutationsCaught} of {mutations} changed machines caught',
      test: '{brokenVariants} broken stores, drivers and providers named',
      random: '{traceSpoils} spoiled logs reported',
    },
    leavesOut: 'Defects of kinds that nobody planted. No mutation testing of the sources is run.',
  },
  {
    id: 'R19',
    promise: 'A test passes always or never.',
    counted: { shuffled: '{runs} orders of {tests} tests: {failures} failures, {differences} differences' },
    leavesOut:
      'Suites of programs, pages, processes, random trees and hostile values are not shuffled. Nothing asks for a retry; `npm run check -- retries` holds that.',
  },
  {
    id: 'S1',
    promise: 'An agent reaches whom it may reach, and nobody else.',
    counted: {
      authority:
        '{authorityCells} cases of the table; {randomCalls} random calls, {randomCallsRefused} of them refused: none otherwise than the oracle says',
    },
    leavesOut: 'Hosts and providers: they are trusted.',
  },
  {
    id: 'S4',
    promise: 'No id and no directory leads where it should not: it is a short word or an absolute path, or is refused.',
    counted: { fuzz: '{fuzzedIds} ids and directories, none taken that should not be, and nothing written outside the folder' },
    leavesOut: 'Whether a directory lies where the host would like it: a host that lets models choose directories confines them.',
  },
  {
    id: 'S5',
    promise: 'Every limit is kept at n − 1, n and n + 1.',
    counted: { test: '{limitTests} tests of depth, capacity, children, messages, bytes and results' },
    leavesOut: 'Memory and time that tools and drivers take.',
  },
  {
    id: 'S7',
    promise: 'A value that JSON can hold comes back as it was; any other is refused before anything is written.',
    counted: { fuzz: '{hostileValues} values and {toolInputs} inputs of tools, each taken whole or refused with a code' },
    leavesOut: 'Exhaustion of memory below the limits.',
  },
  {
    id: 'S11',
    promise: 'What others named is shown in one line, without anything that a terminal obeys.',
    counted: { fuzz: '{hostileNames} names, arguments and labels; none was shown with such a character' },
    leavesOut: 'What your application prints of what a model wrote.',
  },
];
