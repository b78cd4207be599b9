/** Everything that a host can hand to a runtime, each failing in every way: what a life with it looks like. */
import { mergeMap } from 'rxjs';
import type { AgentDriver } from '../../src/agents/driver.ts';
import type { AgentTool } from '../../src/agents/tool.ts';
import type { SubagentProvider } from '../../src/providers/contract.ts';
import type { SubagentRuntime } from '../../src/registry/runtime.ts';
import type { JsonObject } from '../../src/sessions/json.ts';
import type { SessionStore } from '../../src/sessions/store.ts';

/** How it fails: before it returns, by what it returns, or by returning what nobody expects. */
export const ways = ['throws', 'rejects', 'rejects a thenable', 'gives rubbish', 'never answers'] as const;
export type Way = (typeof ways)[number];

export interface BadActor {
  readonly name: string;
  readonly driver?: Partial<AgentDriver>;
  readonly tool?: Partial<AgentTool>;
  /** Laid over an external provider. */
  readonly provider?: Partial<SubagentProvider>;
  /** Laid over a provider of local children. */
  readonly local?: Partial<SubagentProvider>;
  readonly deliver?: () => never;
  readonly cwd?: () => never;
  readonly onFault?: () => never;
  /** A method of the store that fails from the moment when the root is open. */
  readonly store?: { readonly method: keyof SessionStore; readonly fail: () => never };
  readonly outputSchema?: JsonObject;
  readonly listen?: (runtime: SubagentRuntime) => void;
}

/** The failure itself; it carries a secret, which must turn up nowhere. */
export function failing(way: Way): () => never {
  const fail = (): unknown => {
    const error = new TypeError('CANARY');
    switch (way) {
      case 'throws':
        throw error;
      case 'rejects':
        return Promise.reject(error);
      case 'rejects a thenable':
        // biome-ignore lint/suspicious/noThenProperty: what other promise libraries return
        return { then: (_: unknown, failed?: (fault: unknown) => void) => void failed?.(error) };
      case 'gives rubbish':
        return 'rubbish';
      case 'never answers':
        return new Promise(() => undefined);
    }
  };
  return fail as () => never;
}

const storeMethods: readonly (keyof SessionStore)[] = [
  ...(['head', 'read', 'create', 'claim', 'renew', 'handBack', 'append', 'check', 'remove', 'children', 'pending'] as const),
  'roots',
];

export function badActors(): BadActor[] {
  return ways.flatMap((way): BadActor[] => {
    const fail = failing(way);
    const named = (what: string, actor: Omit<BadActor, 'name'>): BadActor => ({ name: `${what} that ${way}`, ...actor });
    return [
      named('a listener', { listen: ({ events$ }) => void events$.subscribe(fail) }),
      named('the completion of a listener', { listen: ({ events$ }) => void events$.subscribe({ complete: fail }) }),
      named('an operator', { listen: ({ events$ }) => void events$.pipe(mergeMap(fail)).subscribe() }),
      named('a reporter', { onFault: fail, listen: ({ events$ }) => void events$.subscribe(failing('throws')) }),
      named('a driver’s turn', { driver: { runTurn: fail } }),
      named('a driver’s validation', { driver: { validate: fail } }),
      named('a driver’s release', { driver: { release: fail } }),
      named('a driver’s view of images', { driver: { acceptsImages: fail } }),
      named('a tool', { tool: { execute: fail } }),
      named('the availability of a tool', { tool: { isAvailable: fail } }),
      named('a provider’s start', { provider: { start: fail } }),
      named('a run’s result', {
        provider: { start: async () => ({ id: nextId(), result: call(fail), dispose: async () => undefined }) },
      }),
      named('a run’s disposal', { provider: { start: async () => ({ id: nextId(), result: ended(), dispose: fail }) } }),
      named('a provider’s preparation', { local: { prepareContinuable: fail } }),
      named('a seed', { local: { prepareContinuable: () => ({ seed: [call(fail).catch(() => undefined) as never] }) } }),
      named('a sink of notices', { deliver: fail }),
      named('a directory', { cwd: fail }),
      ...storeMethods.map((method) => named(`a store’s ${method}`, { store: { method, fail } })),
    ];
  });
}

let ids = 0;
const nextId = () => `far-${++ids}`;
const ended = () => Promise.resolve({ output: [], stopReason: 'completed' } as const);

/** The failure as a promise, whatever it is. */
async function call(fail: () => never): Promise<never> {
  return fail();
}
