/** `troupe check`: holds the sessions of a folder against the contract of the library. */
import { checkTrace, describeProblem } from '../../src/testing/index.ts';
import type { Command } from '../arguments.ts';
import { exitCodes, Failure } from '../exit.ts';
import { openFolder } from '../folder.ts';
import type { Io } from '../io.ts';
import { openExistingDatabase } from '../sessions/database.ts';
import { printable } from '../terminal/printable.ts';

type CheckCommand = Extract<Command, { name: 'check' }>;

export async function checkCommand(command: CheckCommand, io: Io): Promise<number> {
  const { root } = openFolder(command.folder);
  const store = openExistingDatabase(root);
  if (store === undefined) {
    io.screen.write('no sessions here yet\n');
    return exitCodes.ok;
  }
  try {
    const { problems, sessions, events } = await checkTrace(store);
    for (const problem of problems) await io.out(`${printable(describeProblem(problem), 1_000)}\n`);
    const checked = `${count(sessions, 'session')} with ${count(events, 'event')}`;
    if (problems.length > 0) throw new Failure('failed', `${count(problems.length, 'problem')} in ${checked}`);
    io.screen.write(`no problems in ${checked}\n`);
  } finally {
    await store.close();
  }
  return exitCodes.ok;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}
