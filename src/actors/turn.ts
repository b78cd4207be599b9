/** Runs one turn: claim, drive, close. Answers `turn.ended` once, or `turn.failed` when the session cannot be written. */
import type { TurnEnd } from '../agents/driver.ts';
import { countMail } from '../agents/inbox.ts';
import { toSubagentError } from '../errors.ts';
import type { ActivationOutcome } from '../machines/activation-types.ts';
import type { SubagentResult } from '../providers/contract.ts';
import type { SubagentStopReason } from '../sessions/event.ts';
import { bounded } from './bounded.ts';
import { areNotices, gatherNotices } from './gather.ts';
import { forgetBytes } from './mail.ts';
import { captureFailed, checkedEnd, checkedResult } from './reported-end.ts';
import type { Residency } from './residency.ts';
import { RunningTurn } from './running-turn.ts';
import type { World } from './world.ts';

/** Claims at once, so that a stop that comes in the same instant finds the turn; everything else happens later. */
export function beginTurn(world: World, residency: Residency): void {
  const turn = residency.run === undefined ? openTurn(world, residency) : undefined;
  queueMicrotask(() => {
    if (turn === undefined) return followRun(residency);
    runTurn(world, residency, turn).catch((fault: unknown) => {
      world.report('turn', fault);
      // how a turn ended that was given up is said already
      if (!turn.isGivenUp) Object.assign(residency, { stopReason: 'error', diagnostic: 'the session could not be written' });
      residency.endTurn();
      residency.send({ type: 'turn.failed' });
    });
  });
}

/** Asks the turn to end, and gives it up when it does not (S4.1). A turn given up can write nothing more. */
export function stopTurn(world: World, residency: Residency): void {
  const { turn, run } = residency;
  turn?.abort();
  if (run !== undefined) stopRun(world, residency);
  const ended = residency.turnEnded();
  bounded({
    clock: world.clock,
    ms: world.limits.turnStopMs,
    name: 'the turn',
    run: () => ended,
    done: () => undefined,
    failed: (fault) => {
      turn?.giveUp();
      // what the driver does may go on, so gone would not mean gone (S2.6); a run's end is what its disposal says
      if (turn !== undefined) residency.failTeardown(fault);
      residency.stopReason = 'aborted';
      residency.diagnostic = givenUp;
      if (run !== undefined) residency.external ??= { output: [], stopReason: 'aborted', diagnostic: givenUp };
      residency.send({ type: 'turn.overdue' });
    },
  });
}

const givenUp = 'the turn did not end when it was asked to and was given up';

function openTurn(world: World, residency: Residency): RunningTurn {
  const turn = new RunningTurn(world, residency, world.ids.next(), residency.inbox.claimOpening());
  residency.turn = turn;
  return turn;
}

async function runTurn(world: World, residency: Residency, turn: RunningTurn): Promise<void> {
  if (areNotices(turn.input)) await gatherNotices(world, residency, () => turn.signal);
  if (!turn.isAborted) turn.claimMore();
  const { session, input } = turn;
  const { queued, parked } = countMail(input);
  residency.send({ type: 'message.claimed', queued, parked });
  const time = world.clock.now();
  residency.unclosedTurn = turn;
  try {
    await session.append([
      {
        type: 'inbox/claimed',
        time,
        data: { messageIds: input.map((message) => message.messageId), waking: queued, turnId: turn.turnId },
      },
      { type: 'turn/started', time, data: { turnId: turn.turnId, epoch: session.epoch } },
    ]);
  } catch (fault) {
    residency.unclosedTurn = undefined;
    residency.inbox.restore(input);
    residency.send({ type: 'message.returned', queued, parked });
    throw fault;
  }
  forgetBytes(residency, input);
  const end = await drive(world, residency, turn);
  if (turn.isOver) return;
  turn.end();
  await closeTurn(residency, turn, end);
}

async function drive(world: World, residency: Residency, turn: RunningTurn): Promise<TurnEnd> {
  if (turn.isAborted) return { stopReason: 'aborted' };
  let end: TurnEnd;
  try {
    end = checkedEnd(await turn.driver.runTurn(turn));
  } catch (fault) {
    if (turn.isAborted) return { stopReason: 'aborted' };
    world.report('driver', fault);
    return { stopReason: 'error', diagnostic: 'the agent driver failed' };
  }
  if (end.stopReason === 'completed' && residency.outputSchema !== undefined && residency.structured === undefined) {
    return { stopReason: 'error', diagnostic: 'structured result missing' };
  }
  return end;
}

async function closeTurn(residency: Residency, turn: RunningTurn, end: TurnEnd): Promise<void> {
  const { stopReason, diagnostic } = end;
  residency.stopReason = stopReason;
  residency.diagnostic = diagnostic;
  residency.unclosedTurn = undefined; // its end is on its way, however long the store takes over it
  try {
    await turn.session.append(turn.closingEvents(end));
  } catch (fault) {
    residency.unclosedTurn = turn;
    throw fault;
  }
  residency.endTurn();
  residency.send({ type: 'turn.ended', outcome: outcomeOf(stopReason) });
}

/** An external child runs once, elsewhere; its one turn is the run. */
function followRun(residency: Residency): void {
  residency.send({ type: 'message.claimed', queued: 1, parked: 0 });
  residency.run?.result.then(
    (result) => endRun(residency, () => checkedResult(result, residency.outputSchema)),
    (fault: unknown) =>
      endRun(residency, () => {
        throw fault;
      }),
  );
}

function endRun(residency: Residency, capture: () => SubagentResult): void {
  if (residency.external !== undefined || residency.isReleased) return; // it was given up; what it says now is late
  try {
    residency.external = capture();
    residency.stopReason = residency.external.stopReason;
  } catch (fault) {
    residency.captureFault = toSubagentError(fault, 'PROVIDER_FAILED', captureFailed); // it may have been `undefined`
    residency.stopReason = 'error';
  }
  residency.endTurn();
  residency.send({ type: 'turn.ended', outcome: outcomeOf(residency.stopReason) });
}

function stopRun(world: World, residency: Residency): void {
  residency.disposeRun().catch((fault: unknown) => {
    residency.failTeardown(fault);
    world.report('provider', fault);
  });
}

export function outcomeOf(stopReason: SubagentStopReason): Exclude<ActivationOutcome, 'none'> {
  if (stopReason === 'completed' || stopReason === 'aborted') return stopReason;
  return 'failed';
}
