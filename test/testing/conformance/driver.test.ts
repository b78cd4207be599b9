/** The driver suite passes our drivers, finds what is broken in others, and says which promise it was. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runSuite, testDriver } from '../../../src/testing/index.ts';
import { registerSuite } from '../../../src/testing/vitest.ts';
import { counted, noteFigure } from '../../support/figures.ts';
import { complaintsOf } from './complaints.ts';
import { loopDriver } from './loop-driver.ts';
import { type Flaw, flaws } from './loop-flaws.ts';

const run = promisify(execFile);

registerSuite(
  counted(testDriver({ name: 'a plain loop', create: (script) => loopDriver(script), refusedOptions: { model: 'unknown' } })),
);

/** It would fail this test run too, so it has a process of its own. */
const unhandled: Flaw = 'leaves a rejection that nobody handles';

const named: Readonly<Record<Flaw, RegExp>> = {
  'asks nobody before it calls the model': /check\(\) comes before every model call/,
  'records after the end of an aborted turn': /records and streams nothing afterwards \(I3\): it did record/,
  'streams after the end of an aborted turn': /records and streams nothing afterwards \(I3\): it did stream/,
  'does not hear the signal during a model call': /aborted during a model call settles soon \(I3\)/,
  'does not hear the signal during a tool call': /aborted during a tool call settles soon \(I3\)/,
  'calls an aborted turn completed': /an abort during a model call: ends as aborted; it ended as completed/,
  'begins although it was aborted': /an abort before the turn: ends as aborted; it ended as completed/,
  'starts a tool after an abort': /after an abort no tool is started/,
  'records a result twice': /every tool call gets exactly one result \(P18\)/,
  'records no result of a tool that throws': /every tool call gets exactly one result \(P18\)/,
  'answers only the first of several calls': /all calls of an answer are answered before the next model call \(P18\)/,
  'runs a tool before its call is recorded': /a tool runs only after the answer that calls it is recorded/,
  'ends when a tool throws': /tool errors end no turn/,
  'fails on a tool that there is not': /an unknown tool ends no turn/,
  'uses one key for all calls': /no two calls have one idempotency key/,
  'shows the model no history': /the model is shown "first-question" in one message, once/,
  'shows the model no instructions': /the model is shown the instructions/,
  'shows the input twice': /the model is shown "second-question" in one message, once/,
  'takes no steering': /the model is shown "hurry-up" in one message, once/,
  'takes no steering at its end': /steering is taken once more before the turn ends/,
  'hides who sent a message': /steering is shown with its sender/,
  'swallows FENCED': /a refusal of the log is never swallowed/,
  'goes on after FENCED': /calls no model (any more|again)? ?\(S10\.2\)/,
  'throws when the model fails': /a failure of the model: runTurn settles with an end and does not reject/,
  'calls a failure of the model completed': /a failure of the model: ends as error; it ended as completed/,
  'says nothing of a failure': /says in a diagnostic what happened/,
  'says everything that it knows of a failure': /a diagnostic repeats no .*\(S5\.4, P38\): canary-message, canary-header/,
  'says what the tools were given when it fails': /a diagnostic repeats no .*: canary-input/,
  'says the prompt when it fails': /a diagnostic repeats no .*: canary-prompt/,
  'has a diagnostic of any length': /a diagnostic has at most 4096 bytes of UTF-8 \(S5\.4\); this one has 1000/,
  'calls a broken-off answer completed': /an answer that broke off \(max-tokens\): ends as max-tokens; it ended as completed/,
  'hands in no result': /the value is handed in once, as the model gave it/,
  'does not tell why a result was refused': /the model is shown why its result was refused/,
  'mixes up agents': /a model is shown nothing of another agent/,
  'ends all turns when one agent is released': /release of one agent leaves the turn of another alone/,
  'calls the model to validate': /validate asks nothing of a model/,
  'accepts any options': /validate refuses options that no turn could run with/,
  'never settles its release': /release settles soon/,
  'leaves a rejection that nobody handles': /a rejection was left that nobody handles \(P31\): Error: nobody asked/,
};

describe('the driver suite', () => {
  test.each(flaws.filter((flaw) => flaw !== unhandled))('it names the promise that a driver breaks which %s', async (flaw) => {
    const create = (script: Parameters<typeof loopDriver>[0]) => loopDriver(script, flaw);
    const complaints = await complaintsOf(testDriver({ name: 'broken', create, refusedOptions: { model: 'unknown' } }));
    expect(complaints).toMatch(named[flaw]);
    noteFigure('brokenVariants', 1);
  });

  test(`it names the promise that a driver breaks which ${unhandled}`, async () => {
    const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'unhandled.ts')]);
    expect(stdout).toMatch(named[unhandled]);
    noteFigure('brokenVariants', 1);
  });

  test('cases that need what a model cannot say are left out', async () => {
    const suite = testDriver({ name: 'prose', create: (script) => loopDriver(script), without: ['call', 'submit', 'hang'] });
    expect(suite.tests.length).toBeGreaterThan(5);
    expect((await runSuite(suite)).failed).toEqual([]);
  });
});
