import { expect, test } from 'vitest';
import { type AnyStateMachine, createActor } from 'xstate';
import { activationMachine, attachmentMachine, runtimeMachine } from '../../src/machines/index.ts';

test.each([activationMachine, attachmentMachine, runtimeMachine] as AnyStateMachine[])(
  'the $id machine starts without an input, as visualizers start it (S10.5)',
  (machine) => {
    const actor = createActor(machine).start();
    expect(actor.getSnapshot().status).toBe('active');
    actor.stop();
  },
);
