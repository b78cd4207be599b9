/** Cases of the provider suite: each has a world, and leaves none. */
import type { SubagentResult } from '../../../providers/contract.ts';
import type { TestCase } from '../../suite.ts';
import { answerOf, holds, same } from '../expect.ts';
import { guardedCase } from '../guarded.ts';
import type { ProviderConformance, ProviderPrompts } from '../provider.ts';
import { nothingLeft } from './left.ts';
import { openWorld, type ProviderWorld } from './world.ts';

export interface ProviderCase {
  readonly name: string;
  /** The prompt without which there is nothing to test. */
  readonly needs?: keyof ProviderPrompts;
  run(world: ProviderWorld): Promise<void>;
}

/** One that the case needs, so it is there. */
export function neededPrompt({ prompts }: ProviderWorld, kind: keyof ProviderPrompts): string {
  const prompt = prompts[kind];
  if (prompt === undefined) throw new Error(`there is no prompt for a child that ${kind}`);
  return prompt;
}

export function toTestCase(conformance: ProviderConformance, { name, run }: ProviderCase): TestCase {
  return guardedCase(name, conformance.timeoutMs ?? 60_000, async () => {
    const world = await openWorld(conformance);
    try {
      await run(world);
    } catch (error) {
      await answerOf(close(world)); // what failed first is told
      throw error;
    }
    await close(world);
  });
}

/** Everything that is open ends. */
async function close(world: ProviderWorld): Promise<void> {
  const { time, runtime, subject } = world;
  await time.settled(answerOf(runtime.close()), 'the runtime closes, whatever its children do (S4.6)');
  await nothingLeft(world, 'nothing is left when the runtime has closed (S4.6)');
  await subject.close?.();
}

/** Throws unless `dispose` of a child or run resolves in time. `who`: that is how a failure begins. */
export async function disposed({ time }: ProviderWorld, one: { dispose(): Promise<void> }, who: string): Promise<void> {
  const answer = await time.settled(answerOf(one.dispose()), `${who}: dispose is bounded (P24)`);
  same(answer, 'resolved', `${who}: dispose succeeds, whatever came before (S1.5)`);
}

/** Bytes of UTF-8 (S5.4). */
const diagnosticBytesMax = 4_096;

/** Throws if a result says more than it may. */
export function judgeResult({ stopReason, diagnostic }: SubagentResult, { conformance }: ProviderWorld): void {
  if (diagnostic === undefined) return;
  holds(stopReason !== 'completed', 'a completed result has no diagnostic (S5.4)');
  const bytes = Buffer.byteLength(diagnostic);
  holds(
    bytes <= diagnosticBytesMax,
    `a diagnostic has at most ${diagnosticBytesMax} bytes of UTF-8 (S5.4); this one has ${bytes}`,
  );
  holdsNoSecret(diagnostic, conformance, 'a diagnostic');
}

export function holdsNoSecret(text: string, { secrets = [] }: ProviderConformance, where: string): void {
  const leaked = secrets.filter((secret) => text.includes(secret));
  holds(leaked.length === 0, `${where} repeats no secret (S5.4, P38): ${leaked.join(', ')}`);
}
