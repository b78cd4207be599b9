/**
 * What XState alone costs, without a runtime: the least that a child on a statechart under its parent can cost.
 *
 * Four hops: start, one message, settle, done, with a notice to the parent in between. Same hops: as many events to the child
 * and its parent as one life of ours takes (seven and four), each with a guard and a context change, as ours have.
 */
import { type AnyActorRef, type AnyStateMachine, assign, createActor, createMachine, setup } from 'xstate';
import { heapBytes, type Spent, spend } from './measure.ts';

const child = setup({
  types: { context: {} as { readonly count: number } },
  guards: { isCounting: ({ context }) => context.count >= 0 },
  actions: { count: assign({ count: ({ context }) => context.count + 1 }) },
}).createMachine({
  context: { count: 0 },
  initial: 'waiting',
  on: { 'step.done': { guard: 'isCounting', actions: 'count' } },
  states: {
    waiting: { on: { 'message.accepted': 'running', 'settle.requested': 'settled' } },
    running: { on: { 'turn.ended': 'waiting' } },
    settled: { type: 'final' },
  },
});

const parent = createMachine({ on: { 'child.told': {}, 'xstate.done.actor.*': {} } });

/** Between two hops an effect answers, so time passes: at least one microtask. */
const answer = Promise.resolve();

export type FloorKind = 'four-hop' | 'same-hop';

/** All children at once, like the row's. */
export async function floor(kind: FloorKind, children: number): Promise<Spent> {
  const root = createActor(parent).start();
  const alive = new Map<string, AnyActorRef>();
  const live = kind === 'four-hop' ? liveFourHops : liveSameHops;
  const spent = await spend(children, async () => {
    const lives: Promise<void>[] = [];
    for (let index = 0; index < children; index++) {
      const id = `child-${index}`;
      const actor = under(root, child);
      alive.set(id, actor);
      actor.start();
      lives.push(live(root, actor).finally(() => alive.delete(id)));
    }
    await Promise.all(lives);
  });
  if (alive.size > 0) throw new Error(`${alive.size} children of the floor are left`);
  return spent;
}

async function liveFourHops(root: AnyActorRef, actor: AnyActorRef): Promise<void> {
  actor.send({ type: 'message.accepted' });
  await answer;
  actor.send({ type: 'turn.ended' });
  await answer;
  root.send({ type: 'child.told' });
  actor.send({ type: 'settle.requested' });
}

async function liveSameHops(root: AnyActorRef, actor: AnyActorRef): Promise<void> {
  root.send({ type: 'child.told' });
  actor.send({ type: 'message.accepted' });
  for (let step = 0; step < 4; step++) {
    await answer;
    actor.send({ type: 'step.done' });
  }
  root.send({ type: 'child.told' });
  await answer;
  actor.send({ type: 'turn.ended' });
  await answer;
  root.send({ type: 'child.told' });
  actor.send({ type: 'settle.requested' });
}

/** The parent hears of the child's end, but does not keep it: XState's own record is copied on every transition. */
function under(root: AnyActorRef, machine: AnyStateMachine): AnyActorRef {
  return createActor(machine, { id: 'activation', parent: root }) as AnyActorRef;
}

/** Heap of one waiting child of the floor, with its place in a map. */
export async function floorHeap(children: number): Promise<number> {
  const root = createActor(parent).start();
  const alive = new Map<string, AnyActorRef>();
  const add = (count: number) => {
    for (let index = 0; index < count; index++) {
      const actor = under(root, child);
      actor.start();
      alive.set(`child-${alive.size}`, actor);
    }
  };
  add(1_000);
  const before = await heapBytes();
  add(children);
  const bytes = ((await heapBytes()) - before) / children;
  if (alive.get('child-0')?.getSnapshot().value !== 'waiting') throw new Error('the floor is not waiting');
  return bytes;
}

const stoppable = createMachine({
  initial: 'running',
  states: {
    running: { on: { 'stop.requested': 'stopping' } },
    stopping: { on: { released: 'gone' } },
    gone: { type: 'final' },
  },
});

interface Node {
  readonly actor: AnyActorRef;
  readonly children: Node[];
}

/** The drain floor: raw actors in the shape of a tree, asked to stop from the top and ended from the leaves. */
export async function drainFloor(parents: readonly number[]): Promise<Spent> {
  const root: Node = { actor: createActor(parent).start(), children: [] };
  const nodes = [root];
  for (const index of parents) {
    const node: Node = { actor: under(root.actor, stoppable), children: [] };
    node.actor.start();
    nodes[index]?.children.push(node);
    nodes.push(node);
  }
  const spent = await spend(parents.length, async () => {
    await Promise.all(root.children.map(drain));
  });
  if (nodes.some(({ actor }) => actor !== root.actor && actor.getSnapshot().status !== 'done')) throw new Error('a node is left');
  return spent;
}

async function drain({ actor, children }: Node): Promise<void> {
  actor.send({ type: 'stop.requested' });
  await Promise.all(children.map(drain));
  actor.send({ type: 'released' });
}
