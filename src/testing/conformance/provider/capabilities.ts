/** S1.7: what a provider says that it can do. */
import { textOf } from '../../../sessions/content.ts';
import type { SessionId } from '../../../sessions/ids.ts';
import { holds, refuses, same } from '../expect.ts';
import type { ReceivedRequest } from '../provider.ts';
import type { ProviderCase } from './bench.ts';
import { nothingLeft } from './left.ts';
import { type ProviderWorld, presetName, type StartSetup } from './world.ts';

/** What every case asks for a structured result with. */
export const outputSchema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] } as const;

type Flag = 'agentOptions' | 'agentPreset' | 'outputSchema' | 'depthLimit';

/** What is asked of a child for each flag. */
function askedFor({ conformance }: ProviderWorld): Readonly<Record<Flag, StartSetup>> {
  return {
    agentOptions: { agentOptions: conformance.agentOptions ?? { model: 'conformance' } },
    agentPreset: { agentPreset: presetName },
    outputSchema: { outputSchema },
    depthLimit: { maxDepth: 1 },
  };
}

export const capabilityCases: readonly ProviderCase[] = [
  {
    name: 'it makes children of the kind that it says, and names its flags (S1.8)',
    async run({ provider, conformance }) {
      const kind = provider.prepareContinuable === undefined ? 'external' : 'local';
      same(kind, conformance.kind, 'a provider with prepareContinuable is local, one with only start external (S1.8)');
    },
  },
  {
    name: 'an option whose flag is false is refused UNSUPPORTED_CAPABILITY before anything is created (S1.7)',
    async run(world) {
      const { provider, store, prompts, time } = world;
      for (const [flag, asked] of Object.entries(askedFor(world)) as [Flag, StartSetup][]) {
        if (provider.capabilities[flag]) continue;
        const { writes } = store;
        const starting = time.settled(world.start(prompts.completes, asked), 'a start is answered');
        await refuses(
          starting,
          'UNSUPPORTED_CAPABILITY',
          `an option whose flag ${flag} is false is refused, never ignored (S1.7)`,
        );
        same([store.writes, provider.starts.length], [writes, 0], `a refused option (${flag}) creates nothing (S1.7)`);
        await nothingLeft(world, `a refused option (${flag}) leaves nothing (S1.7)`);
      }
    },
  },
  {
    name: 'an option whose flag is true really reaches the child (S1.7)',
    async run(world) {
      for (const [flag, asked] of Object.entries(askedFor(world)) as [Flag, StartSetup][]) {
        if (world.provider.capabilities[flag]) await reaches(world, flag, asked);
      }
    },
  },
];

async function reaches(world: ProviderWorld, flag: Flag, asked: StartSetup): Promise<void> {
  const { prompts, time } = world;
  const prompt = flag === 'outputSchema' ? (prompts.submits ?? prompts.completes) : prompts.completes;
  const child = await world.started(prompt, asked);
  const result = await time.settled(child.result, 'a child that was asked for an option ends');
  if (flag === 'outputSchema' && prompts.submits !== undefined) {
    const { stopReason, structured } = result;
    const said = `${stopReason}, ${JSON.stringify(structured)}, ${textOf(result.output)}`;
    const isRight = typeof (structured as { readonly answer?: unknown } | undefined)?.answer === 'number';
    holds(
      isRight && stopReason === 'completed',
      `a child that was given a schema hands in a value that satisfies it (S5.3): ${said}`,
    );
    return;
  }
  const received = await receivedBy(world, child.childId);
  holds(received !== undefined, `the flag ${flag} is true, so \`received\` says what the child was given`);
  for (const [name, value] of Object.entries(asked) as [keyof ReceivedRequest, unknown][]) {
    same(partOf(received[name], value), value, `the flag ${flag} is true, so ${name} reaches the child (S1.7)`);
  }
}

/** Options are merged over others: those that were not asked for do not count. */
function partOf(received: unknown, asked: unknown): unknown {
  if (typeof received !== 'object' || received === null || typeof asked !== 'object' || asked === null) return received;
  return Object.fromEntries(Object.keys(asked).map((key) => [key, (received as Record<string, unknown>)[key]]));
}

/** From its backend; a local child's also from its log and its turn. */
export async function receivedBy(world: ProviderWorld, childId: string): Promise<ReceivedRequest | undefined> {
  const { subject, conformance, store } = world;
  if (subject.received !== undefined) return await subject.received(childId);
  if (conformance.kind === 'external') return undefined;
  const { header } = (await store.head(childId as SessionId)) ?? {};
  const descriptor = (await store.read(childId as SessionId)).findLast((event) => event.type === 'subagent/descriptor')?.data;
  const turn = world.driver?.seen.find(({ agentId }) => agentId === childId)?.turn;
  const agentOptions = turn?.options ?? descriptor?.agentOptions;
  return {
    ...(header !== undefined && { cwd: header.cwd }),
    ...(header?.agentPreset !== undefined && { agentPreset: header.agentPreset }),
    ...(agentOptions !== undefined && { agentOptions }),
    ...(descriptor?.outputSchema !== undefined && { outputSchema: descriptor.outputSchema }),
    ...(descriptor?.maxDepth !== undefined && { maxDepth: descriptor.maxDepth }),
  };
}
