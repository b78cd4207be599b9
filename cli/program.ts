/** The program: reads the command line, runs one command, and turns how it ended into an exit code. */
import { type Command, parseCommand } from './arguments.ts';
import { exitCodes, failureLine, toFailure } from './exit.ts';
import { helpText, versionText } from './help.ts';
import { type Io, writerTo } from './io.ts';
import { listenForSignals } from './signals.ts';

const signals = listenForSignals();

// A reader that has gone (`troupe run | head`) wants no more, and no complaint either. Other faults reach who wrote.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? exitCodes.ok);
});
process.stderr.on('error', () => undefined);

const io: Io = { out: writerTo(process.stdout), screen: process.stderr, stop: signals.stop };

async function main(): Promise<number> {
  try {
    const code = await dispatch(parseCommand(process.argv.slice(2), process.env.TROUPE_MODEL));
    return signals.exitCode() ?? code;
  } catch (error) {
    const code = signals.exitCode();
    const failure = toFailure(error);
    process.stderr.write(
      code === undefined ? failureLine(failure) : 'troupe: interrupted; everything it had started has ended\n',
    );
    return code ?? failure.exitCode;
  }
}

/** A command is loaded when it is called: the AI SDK takes most of the start, and listing needs none of it. */
async function dispatch(command: Command): Promise<number> {
  switch (command.name) {
    case 'run':
      return (await import('./commands/run.ts')).runCommand(command, io);
    case 'ls':
      return (await import('./commands/ls.ts')).lsCommand(command, io);
    case 'show':
      return (await import('./commands/show.ts')).showCommand(command, io);
    case 'check':
      return (await import('./commands/check.ts')).checkCommand(command, io);
    case 'send':
      return (await import('./commands/send.ts')).sendCommand(command, io);
    case 'help':
      await io.out(helpText());
      return exitCodes.ok;
    case 'version':
      await io.out(versionText());
      return exitCodes.ok;
  }
}

process.exitCode = await main();
signals.release();
