/** What must hold at every step of an activation, whatever happens around it. Each rule says what is wrong, or nothing. */
import type { ActivationContext, ActivationKind, ActivationOutput } from '../../src/machines/index.ts';
import { type ActivationWorld, isEnding, isReleasing, isRunning, isSettled, type Scope } from './activation-world.ts';
import type { Rule, Step } from './explore.ts';

type ActivationStep = Step<ActivationWorld>;
type ActivationRule = Rule<ActivationWorld>;

const contextOf = (step: ActivationStep) => step.after.snapshot.context as ActivationContext;
const isDone = (step: ActivationStep) => step.after.snapshot.status === 'done';
const worldBefore = (step: ActivationStep) => step.before?.world;
const differ = (what: string, machine: unknown, world: unknown) =>
  machine === world ? undefined : `${what}: the machine says ${machine}, the world ${world}`;

const rules: Record<string, ActivationRule> = {
  'is never in error': ({ after }) => (after.snapshot.status === 'error' ? `in error: ${after.snapshot.error}` : undefined),

  'counts what the world counts': (step) => {
    const { world, snapshot } = step.after;
    const { queued, parked, offered, children } = contextOf(step);
    if (Math.min(queued, parked, offered, children) < 0) return `a count is negative: ${[queued, parked, offered, children]}`;
    if (isDone(step)) return undefined;
    const childless = differ('children', children, world.children);
    if (childless !== undefined || (isEnding(snapshot) && world.isExpired)) return childless;
    return (
      differ('offered', offered, world.offered) ??
      differ('queued', queued, world.queued) ??
      differ('parked', parked, world.parked)
    );
  },

  'begins one turn at a time, on entering running (S2.1)': (step) => {
    const begun = step.effects.filter((effect) => effect === 'beginTurn').length;
    const isTurnOver = step.event?.type === 'turn.ended';
    const isEntered = isRunning(step.after.snapshot) && !(step.before && isRunning(step.before.snapshot) && !isTurnOver);
    if (begun !== (isEntered ? 1 : 0)) return `${begun} turns begun, running ${isEntered ? 'was' : 'was not'} entered`;
    return begun > 0 && !isTurnOver && worldBefore(step)?.turn !== 'none' ? 'a turn is under way' : undefined;
  },

  'begins a turn only for waking mail': ({ effects, after }) =>
    effects.includes('beginTurn') && after.world.queued === 0 ? 'nothing is queued' : undefined,

  'leaves no waking mail waiting (S3.2)': ({ after }) =>
    after.snapshot.matches({ resident: { waiting: 'idle' } }) && after.world.queued > 0 ? 'idle with mail' : undefined,

  'holds an interrupted agent until a waking message, and no other (S4.1)': (step) => {
    const isHeld = step.after.snapshot.matches({ resident: { waiting: 'held' } });
    if (isHeld && step.after.world.interrupt !== 'quiet') return `held although the interrupt is ${step.after.world.interrupt}`;
    const isWaking = step.event?.type === 'message.accepted' && !('isNotice' in step.event);
    const wasQuiet = worldBefore(step)?.interrupt === 'quiet';
    return step.effects.includes('beginTurn') && wasQuiet && !isWaking ? 'a turn begins although nothing woke it' : undefined;
  },

  'settles only when nothing is left (S2.1, S2.3, S2.8)': (step) => {
    const { snapshot, world } = step.after;
    if (!isSettled(snapshot)) return step.effects.includes('seal') ? 'sealed outside settled' : undefined;
    const left = world.queued + world.parked + world.offered + world.children;
    if (left > 0) return `${left} messages or children are left`;
    if (world.turn !== 'none') return `the turn is ${world.turn}`;
    return world.seals === 0 ? 'nobody seals' : undefined;
  },

  'goes on when a message or child comes before the seal (S2.7)': ({ before, event, after }) => {
    if (!before || !isSettled(before.snapshot)) return undefined;
    const isBrought = event?.type === 'message.offered' || event?.type === 'child.attached';
    return isBrought && !after.snapshot.matches({ resident: 'waiting' }) ? `${event.type} was not heard` : undefined;
  },

  'admits nothing once it is closed (S2.9, S4.3)': (step) => {
    const world = worldBefore(step);
    if (step.event?.type === 'message.offered' && world?.isInboxClosed) return 'offered to a closed inbox';
    return step.event?.type === 'child.attached' && world?.isCut ? 'attached below a cut' : undefined;
  },

  'hears every stop': ({ before, event, after }) => {
    const isStop = event?.type === 'dispose.requested' || event?.type === 'fence.lost' || event?.type === 'message.uncertain';
    if (!isStop || !before) return undefined;
    const isSealing = event.type === 'dispose.requested' && isSettled(before.snapshot);
    return isSealing || isEnding(after.snapshot) ? undefined : `goes on after ${event.type}`;
  },

  'does not come back from ending': ({ before, after }) =>
    before && isEnding(before.snapshot) && !isEnding(after.snapshot) ? 'resident again' : undefined,

  'stops what runs before it waits for its end (S2.4)': (step) => {
    const { snapshot, world } = step.after;
    const isStopping = snapshot.matches({ resident: { running: 'interrupting' } }) || snapshot.matches({ releasing: 'stopping' });
    if (isStopping && world.turn === 'running') return 'nobody asked the turn to stop';
    if (snapshot.matches({ releasing: 'stopping' }) && world.turn === 'none') return 'waits for a turn that is over';
    if (step.effects.includes('stopTurn') && worldBefore(step)?.turn === 'none') return 'stops a turn that is over';
    if (snapshot.matches({ materializing: 'aborting' }) && world.materialize !== 'cancelled') return 'nobody cancelled the start';
    const isUnbounded = isReleasing(snapshot) && !world.isBounded && !world.isExpired;
    return isUnbounded ? 'nobody asked the children to stop' : undefined;
  },

  'releases children first, then flush, capture, resources (S2.4)': (step) => {
    const { world } = step.after;
    const isEmpty = world.offered === 0 && (world.turn === 'none' || world.turn === 'givenUp');
    const last = step.effects.find((effect) => ['flush', 'capture', 'disposeResources'].includes(effect));
    if (last && world.children > 0) return `${last} while a child is live`;
    if (last && !isEmpty && !world.isExpired) return `${last} while a message or the turn is under way`;
    if (step.effects.includes('capture') && world.flush !== 'answered' && !world.isSealed) return 'captured before the flush';
    const isCaptured = world.capture === 'answered' || world.isFenced;
    if (step.effects.includes('disposeResources') && !isCaptured) return 'resources disposed before the capture';
    return step.effects.includes('notify') && world.dispose !== 'answered'
      ? 'told the parent before the resources were disposed'
      : undefined;
  },

  'takes each step of the release once': (step) => {
    const before = worldBefore(step);
    const steps = ['flush', 'capture', 'notify'] as const;
    const twice = steps.find((name) => step.effects.includes(name) && before?.[name] !== 'none');
    if (twice) return `${twice} was asked for before`;
    return step.effects.includes('disposeResources') && before?.dispose !== 'none' ? 'disposed before' : undefined;
  },

  'writes and tells nothing after the fence is lost (S10.2)': ({ effects, after }) => {
    const told = effects.find((effect) => ['beginTurn', 'seal', 'flush', 'capture', 'notify'].includes(effect));
    return told && after.world.isFenced ? `${told} after the fence was lost` : undefined;
  },

  'announces its start at publication and its end when disposed, once each (S5.5)': (step) => {
    const { started, ended, dispose } = step.after.world;
    if (step.effects.includes('announceStarted') !== (step.event?.type === 'activation.materialized'))
      return 'start out of place';
    if (started > 1 || ended > 1 || ended > started) return `started ${started} times, ended ${ended} times`;
    if (step.effects.includes('announceEnded') && dispose !== 'answered') return 'ended before the resources were disposed';
    return isDone(step) && ended !== started ? `started ${started} times, ended ${ended} times` : undefined;
  },

  'returns its capacity once, before the parent is told (S1.13)': (step) => {
    const { started, returned } = step.after.world;
    if (returned > started) return `returned ${returned} times`;
    const isLast = isDone(step) || step.after.snapshot.matches({ releasing: 'notifying' });
    if (isLast && returned !== started) return 'not returned';
    const told = step.effects.indexOf('notify');
    return told >= 0 && step.effects.indexOf('returnCapacity') > told ? 'told the parent first' : undefined;
  },

  'ends with nothing owed': (step) => {
    if (!isDone(step)) return undefined;
    const { world } = step.after;
    const asked = (['flush', 'capture', 'dispose', 'notify'] as const).filter((name) => world[name] === 'asked');
    if (asked.length > 0) return `${asked} not answered`;
    if (world.materialize !== 'answered' && !world.isExpired) return 'the start is not answered';
    if (world.children > 0) return 'a child is live';
    const isLeft = world.started > 0 && (world.offered > 0 || ['running', 'stopping'].includes(world.turn));
    if (isLeft && !world.isExpired) return 'a message or the turn is under way';
    return world.started > 0 && !world.isFenced && world.notify !== 'answered' ? 'nobody told the parent (S3.9)' : undefined;
  },
};

const outcomeRules: Record<string, ActivationRule> = {
  'ends with what happened to it (S2.6, S5.2)': (step) => {
    if (!isDone(step)) return undefined;
    const { world, snapshot } = step.after;
    const { outcome, reason, hasFailedStep } = snapshot.output as ActivationOutput;
    const stopped = world.stop === 'unfinished' ? 'aborted' : world.lastTurn;
    const expected = world.isFenced ? 'failed' : stopped;
    const isUnasked = world.stop === 'idle' && outcome === 'none';
    if (outcome !== expected && !isUnasked) return `the outcome is ${outcome}, not ${expected}`;
    if ((reason === 'fenced') !== world.isFenced) return `the reason is ${reason}`;
    return hasFailedStep === world.hasFailedStep ? undefined : `a step ${hasFailedStep ? 'failed' : 'did not fail'}`;
  },

  'keeps or discards unclaimed mail as the first stop said (S2.8)': (step) =>
    isReleasing(step.after.snapshot) ? differ('mail', contextOf(step).mail, step.after.world.mail) : undefined,
};

const externalRules: Record<string, ActivationRule> = {
  'has no inbox and no children when it is external (S2.10)': ({ after }) => {
    const { offered, parked, children } = after.world;
    return offered + parked + children > 0 ? 'it was given a message or a child' : undefined;
  },
};

const hostRules: Record<string, ActivationRule> = {
  'does not settle when it is a host (S2.3)': ({ after }) => (isSettled(after.snapshot) ? 'settled' : undefined),
};

export function rulesOf(kind: ActivationKind, { followsOutcome }: Scope): Record<string, ActivationRule> {
  return {
    ...rules,
    ...(followsOutcome ? outcomeRules : {}),
    ...(kind === 'external' ? externalRules : {}),
    ...(kind === 'host' ? hostRules : {}),
  };
}
