/** Whole lives of children under one busy agent. */
import type { SessionStore } from '../src/index.ts';
import { type Spent, spend } from './measure.ts';
import { instantTurn, openWorld, type World } from './scripted.ts';

/** Runs `children` lives: start, one instant turn, settled, parent told; `inFlight` of them at a time. */
export async function lives(children: number, { inFlight = children, store }: LivesSetup = {}): Promise<Spent> {
  const world = await openWorld({ turn: instantTurn, ...(store !== undefined && { store }) });
  const spent = await spend(children, async () => {
    let left = children;
    const lane = async () => {
      while (left-- > 0) await life(world);
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
  });
  await mustHaveTold(world, children);
  await world.close();
  return spent;
}

export interface LivesSetup {
  /** Default: all at once. */
  readonly inFlight?: number;
  /** Default: memory. */
  readonly store?: SessionStore;
}

export async function life({ start }: World): Promise<string> {
  const activation = await start();
  await activation.result;
  return activation.childId;
}

async function mustHaveTold({ runtime, root }: World, children: number): Promise<void> {
  const { events } = await runtime.readSession(root.id);
  const notices = events.filter(({ type, data }) => type === 'inbox/inserted' && data.source.kind === 'subagent-settled');
  if (notices.length !== children) throw new Error(`the parent was told ${notices.length} times of ${children} children`);
}
