import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { listenForSignals, type SignalSource } from '../../cli/signals.ts';
import { makeFolder } from './support/folders.ts';
import { liveAgentsIn, runProgram } from './support/program.ts';

describe('signals', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])(
    'the first %s asks for an end, the same one handed on by npm changes nothing, the second exits with %i at once',
    (signal, code) => {
      const exit = vi.fn();
      const source = Object.assign(new EventEmitter(), { exit });
      const signals = listenForSignals(source as unknown as SignalSource);
      source.emit(signal, signal);
      expect([signals.stop.aborted, signals.exitCode()]).toEqual([true, code]);
      vi.advanceTimersByTime(20);
      source.emit(signal, signal);
      expect(exit).not.toHaveBeenCalled();
      vi.advanceTimersByTime(400);
      source.emit('SIGINT', 'SIGINT');
      expect(exit).toHaveBeenCalledExactlyOnceWith(code);
      signals.release();
      expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0);
    },
  );
});

describe('troupe run, interrupted', { timeout: 60_000 }, () => {
  const files = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [`part-${index % 40}/file-${index}.ts`, 'export const a = 1;\n']),
  );

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s ends every agent it had started, exits with %i, and leaves nothing in the way of the next run (S4.6)',
    async (signal, exit) => {
      const folder = makeFolder(files);
      let isSent = false;
      const { code, stdout, stderr } = await runProgram(['run', folder], {
        onStderr(text, child) {
          if (isSent || !text.includes('started part-1')) return;
          isSent = true;
          child.kill(signal);
        },
      });
      expect([code, stdout]).toEqual([exit, '']);
      expect(stderr).toMatch(/troupe: interrupted; everything it had started has ended\n$/);
      expect(stderr).not.toMatch(/\bat \S+:\d+/);
      const lines = stderr.split('\n').filter((line) => /^ {2}(?! *(?:steered|interrupted) )/.test(line));
      expect(lines.filter((line) => line.startsWith('  started')).length).toBe(lines.length / 2);
      expect(liveAgentsIn(stderr).most).toBeLessThanOrEqual(8);
      const again = await runProgram(['run', folder]);
      expect(again.code).toBe(0);
      expect(again.stdout).toContain('2,000 files');
      expect((await runProgram(['ls', '--dir', folder])).stdout).toMatch(/aborted .*\n.*completed /);
    },
  );

  test('after a SIGKILL the sessions are listed as interrupted, and the next run works (S10.1)', async () => {
    const folder = makeFolder(files);
    const { code } = await runProgram(['run', folder], {
      onStderr: (text, child) => {
        if (text.includes('started part-1')) child.kill('SIGKILL');
      },
    });
    expect(code).toBeNull();
    expect((await runProgram(['ls', '--dir', folder])).stdout).toContain(' interrupted ');
    expect((await runProgram(['run', folder])).code).toBe(0);
  });
});
