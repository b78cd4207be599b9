/**
 * The program without root's rights, since permissions do not bind root. Everything is loaded first: the checkout may lie
 * where nobody else can read. Arguments: the folder.
 */
import { runCommand } from '../../../cli/commands/run.ts';
import { failureLine, toFailure } from '../../../cli/exit.ts';
import { writerTo } from '../../../cli/io.ts';

const nobody = 65_534;

if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}

try {
  const io = {
    out: writerTo(process.stdout),
    screen: process.stderr,
    stop: new AbortController().signal,
  };
  process.exitCode = await runCommand({ name: 'run', folder: process.argv[2] ?? '.', json: false, isNew: true }, io);
} catch (error) {
  const failure = toFailure(error);
  process.stderr.write(failureLine(failure));
  process.exitCode = failure.exitCode;
}
