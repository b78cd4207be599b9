/** What must be true of the world when the runtime has closed, whatever path the agent took. Looks at the world, not at the machine. */
import type { ActivationContext } from '../../../src/machines/index.ts';
import type { SessionEvent } from '../../../src/sessions/event.ts';
import { completed } from './held-provider.ts';
import { type Stage, subjectId } from './stage.ts';

const roundsMax = 40;
const roundsOfEnding = 6;
const untilEveryBound = 1e13;

/** Lets everything go, closes the runtime and says what is wrong, or nothing. */
export async function judge(stage: Stage): Promise<string | undefined> {
  const { driver, outside, inside, ear, registry, clock } = stage;
  const goesOn = unstopped(stage);
  if (goesOn !== undefined) return goesOn;
  for (const hand of [
    driver.opening,
    driver.releasing,
    ear,
    outside.starting,
    outside.disposing,
    inside.starting,
    inside.disposing,
  ])
    hand.always();
  driver.ending.always({ stopReason: 'completed' });
  for (const provider of [outside, inside]) provider.ending.always(completed);
  // what was given up may still end by itself
  for (let round = 0; round < roundsOfEnding; round++) await letGo(stage);
  let isClosed = false;
  const closing = () => {
    isClosed = true;
  };
  stage.runtime.close().then(closing, closing);
  for (let round = 0; round < roundsMax && !isClosed; round++) await letGo(stage);
  if (!isClosed) return 'the runtime does not close (S4.6)';
  const open = await stage.unsettled();
  if (open > 0) return `${open} calls into the runtime never settle`;
  if (registry.residents.size + registry.externals.size > 0) return 'an agent is left in memory (S4.6)';
  if (registry.capacity.live > 0) return `capacity for ${registry.capacity.live} is not returned (S1.13)`;
  await clock.advanceAndSettle(untilEveryBound); // of a turn that was given up the bound is all that is left
  if (clock.pendingTimers > 0) return `${clock.pendingTimers} timers are left`;
  if (driver.turnsAtOnce > 1) return `${driver.turnsAtOnce} turns ran at once (S2.1)`;
  if (stage.heldPlaceWhenTold) return 'the parent was told before the place was free (S1.13)';
  return unpaired(stage.lives) ?? repeated(stage.notices) ?? untold(stage) ?? (await faultOfLog(stage));
}

/** Who ends has asked its children to end (S2.4). */
function unstopped({ registry }: Stage): string | undefined {
  for (const agent of registry.residents.values()) {
    const child = [...agent.children].find((one) => agent.hasTag('ending') && !one.hasTag('ending'));
    if (child !== undefined) return `${agent.id} ends, and its child ${child.id} was not asked to (S2.4)`;
  }
  return undefined;
}

async function letGo(stage: Stage): Promise<void> {
  stage.store.release();
  await stage.rest();
}

function unpaired(lives: readonly string[]): string | undefined {
  for (const label of ['subject', 'kid']) {
    const told = lives.filter((life) => life.endsWith(label)).map((life) => life.split(' ')[0]);
    const isPaired =
      told.length % 2 === 0 && told.every((type, index) => type === (index % 2 === 0 ? 'subagent/start' : 'subagent/end'));
    if (!isPaired) return `the ${label} announced ${told.join(', ')} (S5.5)`;
  }
  return undefined;
}

function repeated(notices: readonly string[]): string | undefined {
  return new Set(notices).size === notices.length ? undefined : `a notice was told twice: ${notices.join(', ')} (S3.9)`;
}

/** Every child that was announced is told of, unless it lost its session. */
function untold(stage: Stage): string | undefined {
  const { lives, notices, parent, subject } = stage;
  if (parent === undefined || subject === undefined || subject.lostFault !== undefined) return undefined;
  const { heard } = stage;
  const isFenced = heard.some(({ type }) => type === 'fence.lost' || type === 'message.uncertain');
  const ends = lives.filter((life) => life === 'subagent/end subject').length;
  if (hasDoneNothing(subject)) return notices.length === 0 ? undefined : 'the parent heard of an end of nothing (S3.9)';
  return isFenced || notices.length === ends
    ? undefined
    : `${ends} activations ended, the parent heard of ${notices.length} (S3.9)`;
}

/** It came back from the store, and for nothing. */
function hasDoneNothing({ isResumed, actor }: NonNullable<Stage['subject']>): boolean {
  return isResumed && (actor.getSnapshot().context as ActivationContext).outcome === 'none';
}

async function faultOfLog({ store }: Stage): Promise<string | undefined> {
  const events = (await store.inner.head(subjectId)) === undefined ? [] : await store.inner.read(subjectId);
  const left = new Set<string>();
  let turn: string | undefined;
  for (const event of events) {
    if (event.type === 'inbox/inserted') left.add(event.data.messageId);
    const gone = leaving(event).find((id) => !left.delete(id));
    if (gone !== undefined) return `${event.type} of ${gone}, which does not wait (S3.5)`;
    if (event.type === 'turn/started') {
      if (turn !== undefined) return `turn ${event.data.turnId} starts while ${turn} is open (S2.1)`;
      turn = event.data.turnId;
    }
    if (event.type === 'turn/ended' || event.type === 'activation/ended') turn = undefined;
  }
  return undefined;
}

function leaving(event: SessionEvent): readonly string[] {
  return event.type === 'inbox/claimed' || event.type === 'inbox/discarded' ? event.data.messageIds : [];
}
