import { Failure } from './exit.ts';
import { printable } from './terminal/printable.ts';
import { openWorkspace, type Workspace } from './workspace/workspace.ts';

/** Throws a `Failure` that says whether the folder is missing or unreadable. `mayBeQuestion`: words could be meant as one. */
export function openFolder(path: string, mayBeQuestion = false): Workspace {
  try {
    return openWorkspace(path);
  } catch (error) {
    const name = printable(path);
    const advice = mayBeQuestion && /\s|\?$/.test(path) ? `; to ask about this folder: run . ${JSON.stringify(name)}` : '';
    switch ((error as NodeJS.ErrnoException).code) {
      case 'ENOENT':
        throw new Failure('folderMissing', `there is no folder ${name}${advice}`, { cause: error });
      case 'ENOTDIR':
        throw new Failure('folderMissing', `${name} is no folder`, { cause: error });
      default:
        throw new Failure('folderUnreadable', `the folder ${name} cannot be read`, { cause: error });
    }
  }
}
