/** How the program ends: one line for a person and a code for scripts. */
import { errorCode } from '../src/index.ts';
import { printable } from './terminal/printable.ts';

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  folderMissing: 3,
  folderUnreadable: 4,
  modelUnknown: 5,
  databaseLocked: 6,
  databaseDamaged: 7,
  sessionUnknown: 8,
  databaseFailed: 9,
  notCompleted: 10,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitName = keyof typeof exitCodes;

/** For `troupe help` and docs/cli.md. */
export const exitMeanings: Readonly<Record<ExitName, string>> = {
  ok: 'done',
  failed:
    'troupe check found problems, or something that has no code of its own failed (output that cannot be written, a Node that is too old)',
  usage: 'the command line, or the form of a name of a model, is not understood',
  folderMissing: 'the folder is missing, or is no folder',
  folderUnreadable: 'the folder cannot be read',
  modelUnknown: 'the model or its package is not to be had',
  databaseLocked: 'the session database, or the session, is in use by another process',
  databaseDamaged: 'the session database is damaged or gone, or was written by a later version',
  sessionUnknown: 'no session has that id',
  databaseFailed: 'the session database cannot be made, reached or written (disk full, read-only folder)',
  notCompleted: 'the agent ended without completing its work (a missing key of a model shows here)',
  interrupted: 'interrupted (Ctrl-C)',
  terminated: 'terminated (SIGTERM)',
};

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exit: ExitName;
  readonly exitCode: number;

  constructor(exit: ExitName, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.exit = exit;
    this.exitCode = exitCodes[exit];
  }
}

/** What is no failure of ours yet becomes one by its code. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(exitOf(error), message, { cause: error });
}

function exitOf(error: unknown): ExitName {
  switch (errorCode(error)) {
    case 'STORE_LOCKED':
    case 'BUSY':
      return 'databaseLocked';
    case 'STORE_DAMAGED':
    case 'STORE_UNSUPPORTED':
    case 'SESSION_DAMAGED':
    case 'SESSION_UNSUPPORTED':
      return 'databaseDamaged';
    case 'SESSION_NOT_FOUND':
      return 'sessionUnknown';
    case 'STORE_FULL':
    case 'STORE_FAILED':
      return 'databaseFailed';
    default:
      return 'failed';
  }
}

/** One line, whatever the message holds. */
export function failureLine(failure: Failure): string {
  return `troupe: ${printable(failure.message, 1_000)}\n`;
}
