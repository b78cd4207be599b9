/** What keeps a process alive: a deadline that somebody waits for, and not a runtime that is only open (P30). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/ports/clock.ts';

const index = fileURLToPath(new URL('../../src/index.ts', import.meta.url));

/** Runs the lines in a process that has nothing else open, with an agent whose driver never ends. Rejects if it does not exit. */
async function outputOf(lines: string): Promise<string> {
  const script = `
    import { createRuntime } from ${JSON.stringify(index)};
    const runtime = createRuntime({ limits: { turnStopMs: 100 }, onFault: () => undefined });
    const driver = { name: 'deaf', runTurn: () => new Promise(() => undefined) };
    const agent = await runtime.openAgent({ cwd: '/', composition: { driver } });
    ${lines}`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  // 13: the process ran out of work while a top-level await was pending
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
  return stdout.trim();
}

test('close resolves or rejects in a process with nothing else open, though a driver never ends', async () => {
  const close = `await agent.prompt('go'); await null;
    await runtime.close().catch((error) => console.log(error.code));
    console.log('closed');`;
  expect(await outputOf(close)).toBe('ACTIVATION_TEARDOWN_FAILED\nclosed');
}, 30_000);

test('a runtime that is open and idle lets the process end', async () => {
  expect(await outputOf(`console.log('open');`)).toBe('open');
}, 30_000);

test.each([2_147_483_648, Number.POSITIVE_INFINITY])(
  'a delay of %d ms, which no timer can hold, never fires',
  async (delayMs) => {
    let hasFired = false;
    const cancel = systemClock.schedule(delayMs, () => {
      hasFired = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(hasFired).toBe(false);
    cancel();
  },
);
