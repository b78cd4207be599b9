/** External children in every order that the activation machine allows, walked in a real runtime with the provider under test. */
import { inspect, isDeepStrictEqual } from 'node:util';
import type { SubagentActivation } from '../../../providers/contract.ts';
import type { ProviderConformance } from '../provider.ts';
import type { ProviderCase } from './bench.ts';
import { nothingLeft } from './left.ts';
import { firstState, nextState, type OrderState, type OrderStep, orders } from './order-model.ts';
import type { Pass } from './watched-provider.ts';
import type { ProviderWorld } from './world.ts';

const realOrdersMax = 8;

export function orderCases({ time, ordersMax }: ProviderConformance): readonly ProviderCase[] {
  const all = orders();
  const { length } = all;
  return all.slice(0, ordersMax ?? (time === 'real' ? realOrdersMax : length)).map((order) => ({
    name: `it goes the way of the activation machine: ${order.map((step) => words[step]).join(', then ')} (S2.10, S4.6)`,
    run: (world) => walk(world, order),
  }));
}

const words: Readonly<Record<OrderStep, string>> = {
  abort: 'the caller aborts',
  start: 'the start is answered',
  result: 'the run ends',
  disposal: 'its disposal ends',
  dispose: 'it is disposed',
  interrupt: 'it is interrupted',
  drain: 'its parent is drained',
  close: 'the runtime closes',
};

/** What can be seen of the child from outside. */
interface Facts {
  readonly start: 'open' | 'published' | 'refused';
  readonly hasResult: boolean;
  readonly startsTold: number;
  readonly endsTold: number;
  readonly places: number;
  readonly disposals: number;
  readonly isSignalled: boolean;
}

async function walk(world: ProviderWorld, order: readonly OrderStep[]): Promise<void> {
  const scene = new Scene(world, order);
  try {
    let state = firstState();
    await scene.agrees(state, 'the call');
    for (const step of order) {
      scene.bringAbout(step);
      state = nextState(state, step);
      await scene.agrees(state, words[step]);
    }
  } finally {
    scene.letGo();
  }
  await nothingLeft(world, 'nothing is left whatever the order was');
}

class Scene {
  readonly #world: ProviderWorld;
  readonly #abort = new AbortController();
  readonly #gates = { start: gate(), result: gate(), disposal: gate() };
  #child: SubagentActivation | undefined;
  #isRefused = false;
  #hasResult = false;

  constructor(world: ProviderWorld, order: readonly OrderStep[]) {
    this.#world = world;
    world.provider.holds = this.#gates;
    const { prompts } = world;
    const endsByItself = ['start', 'result'].every((step, index) => order[index] === step);
    const settled = () => {
      this.#hasResult = true;
    };
    world.start(endsByItself ? prompts.completes : prompts.runs, { signal: this.#abort.signal }).then(
      (child) => {
        this.#child = child;
        child.result.then(settled, settled);
      },
      () => {
        this.#isRefused = true;
      },
    );
  }

  bringAbout(step: OrderStep): void {
    const { runtime, parent } = this.#world;
    const { start, result, disposal } = this.#gates;
    const child = this.#child;
    const ways: Readonly<Record<OrderStep, () => void>> = {
      abort: () => this.#abort.abort(),
      start: start.open,
      result: result.open,
      disposal: disposal.open,
      dispose: () => ignore(child?.dispose()),
      interrupt: () => runtime.interrupt(child?.childId ?? '', { kind: 'ancestor', agent: parent }),
      drain: () => ignore(runtime.drainDescendants([parent])),
      close: () => ignore(runtime.close()),
    };
    ways[step]();
  }

  /** Waits until the world is as the machine says. */
  async agrees(state: OrderState, after: string): Promise<void> {
    const { time } = this.#world;
    await time.rest();
    const expected = () => this.#expected(state);
    const isSame = () => isDeepStrictEqual(this.#facts(), expected());
    await time.until(
      isSame,
      () => `after ${after} the machine says ${inspect(expected())}, and there is ${inspect(this.#facts())}`,
    );
  }

  letGo(): void {
    for (const { open } of Object.values(this.#gates)) open();
  }

  #facts(): Facts {
    const { events, registry, provider } = this.#world;
    const start = provider.starts.at(-1);
    const told = (type: string) => events.filter((event) => event.type === type).length;
    return {
      start: this.#isRefused ? 'refused' : this.#child === undefined ? 'open' : 'published',
      hasResult: this.#hasResult,
      startsTold: told('subagent/start'),
      endsTold: told('subagent/end'),
      places: registry.capacity.live,
      disposals: start?.disposals ?? 0,
      isSignalled: start?.request.signal.aborted ?? false,
    };
  }

  #expected({ snapshot, effects }: OrderState): Facts {
    const isOver = snapshot.status === 'done';
    const isPublished = effects.announceStarted !== undefined;
    const isStopped = effects.stopTurn !== undefined || effects.disposeResources !== undefined;
    // a provider that honours its signal has no run to take back
    const isLate = isOver && !isPublished && this.#world.provider.starts.at(-1)?.answer === 'fulfilled';
    return {
      start: isPublished ? 'published' : isOver ? 'refused' : 'open',
      hasResult: isOver && isPublished,
      startsTold: effects.announceStarted ?? 0,
      endsTold: effects.announceEnded ?? 0,
      places: isOver || effects.returnCapacity !== undefined ? 0 : 1,
      disposals: isStopped || isLate ? 1 : 0,
      isSignalled: isStopped || effects.abortMaterialization !== undefined,
    };
  }
}

function gate(): Pass & { open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { pass: () => promise, open: resolve };
}

/** What comes of it is seen at the child. */
function ignore(work: Promise<unknown> | undefined): void {
  work?.catch(() => undefined);
}
