/** Each fault that only a live agent shows is caught by the walk of the paths, or by what it leaves behind (R18). */
import { expect, test } from 'vitest';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { RuntimeParts } from '../../../src/internal.ts';
import {
  type ActivationContext,
  type ActivationKind,
  activationMachine,
  createActivationMachine,
} from '../../../src/machines/index.ts';
import { noteFigure } from '../../support/figures.ts';
import { isReleasing } from '../activation-world.ts';
import { type Fault, mutate } from '../mutate.ts';
import { coverEdges, namePath, statePaths } from '../paths.ts';
import { judge } from './judge.ts';
import { complete, liveKeys, liveModel } from './live-model.ts';
import { liveMutations } from './mutations.ts';
import { perform } from './perform.ts';

const machine: AnyStateMachine = activationMachine;
const walks = (['external', 'local', 'host'] as const satisfies readonly ActivationKind[]).map((kind) => {
  const model = liveModel(kind, machine);
  const reached = statePaths(model, liveKeys);
  const { paths } = coverEdges(model, reached);
  const walked = [...paths, ...reached.filter(endsByItselfWithChild).slice(0, 1)];
  return { kind, model, paths: walked.map(({ events }) => complete(model, events)) };
});

/** Nobody has asked it to end, so nobody but itself asks its children. */
function endsByItselfWithChild({ snapshot }: { readonly snapshot: AnyMachineSnapshot }): boolean {
  const { children, reason } = snapshot.context as ActivationContext;
  return isReleasing(snapshot) && children > 0 && reason !== 'disposed';
}

async function firstFailure(fault: Fault): Promise<string | undefined> {
  const parts: RuntimeParts = {
    createActivationMachine: (ports) =>
      mutate(createActivationMachine(ports) as unknown as AnyStateMachine, fault) as unknown as ReturnType<
        typeof createActivationMachine
      >,
  };
  for (const { kind, model, paths } of walks) {
    for (const path of paths) {
      try {
        const { stage } = await perform(kind, model, path, { parts });
        const left = await judge(stage);
        if (left !== undefined) return `${kind}: ${left} (${namePath(path)})`;
      } catch (error) {
        return `${kind}: ${(error as Error).message.replaceAll(/\s*\n\s*/g, ' ')}`;
      }
    }
  }
  return undefined;
}

test('a copy of the machine without a fault passes', async () => {
  expect(await firstFailure(() => undefined)).toBeUndefined();
});

test.each(liveMutations)('caught live: $name', async ({ name, fault }) => {
  const failure = await firstFailure(fault);
  console.log(`live: ${name}\n    caught by: ${failure}`);
  noteFigure('mutations', 1);
  noteFigure('mutationsCaught', failure === undefined ? 0 : 1);
  expect(failure).toBeDefined();
});
