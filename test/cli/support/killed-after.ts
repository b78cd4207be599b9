/** The program in a process that is killed in the instant of its n-th commit. Arguments: n, then those of the program. */
import { DatabaseSync } from 'node:sqlite';

const [last] = process.argv.splice(2, 1);
const exec = DatabaseSync.prototype.exec;
let commits = 0;

DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
  exec.call(this, sql);
  if (sql === 'commit' && ++commits === Number(last)) process.kill(process.pid, 'SIGKILL');
};

await import('../../../cli/main.ts');
