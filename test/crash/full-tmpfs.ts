/**
 * A runtime on a small disk: it takes messages until the disk is full, makes room, and goes on. Run with the folder of that disk;
 * prints what was seen as JSON. See real-disk.test.ts.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../src/errors.ts';
import type { OpenAgent } from '../../src/registry/top-level-handle.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { rescue, type StoredSession } from './rescue.ts';
import { openCrashRoot, openStage, rootId, type Stage } from './scenario.ts';

export interface FullTmpfsReport {
  readonly refusal: string;
  readonly told: readonly string[];
  /** What closing the runtime on the full disk came to. */
  readonly closing: string;
  /** What a new runtime of the same process was told when there was room again. */
  readonly afterwards: string;
  readonly faults: readonly string[];
  readonly sessions: readonly StoredSession[];
}

const [folder = ''] = process.argv.slice(2);
const path = join(folder, 'store.db');
const ballast = join(folder, 'ballast');
const silent = { told: () => undefined, effect: () => undefined };
const told: string[] = [];

writeFileSync(ballast, 'x'.repeat(256 * 1024));
const store = sqliteStore({ path });
const stage = openStage(store, silent);
const refusal = await fill(stage, await openCrashRoot(stage));
const closing = await outcomeOf(stage.runtime.close());
rmSync(ballast);
await store.close();
const again = sqliteStore({ path });
const next = openStage(again, silent);
const root = await openCrashRoot(next);
const afterwards = await outcomeOf(root.ask('is there room?'));
await next.runtime.close();
const { faults } = await rescue(again, silent);
const head = await again.head(root.id);
if (head === undefined) throw new Error('the session has gone');
const sessions = [{ header: head.header, events: await again.read(root.id) }];
await again.close();
const report: FullTmpfsReport = { refusal, told, closing, afterwards, faults, sessions };
console.log(JSON.stringify(report));

/** Resolves with what the first message was refused with. */
async function fill({ driver }: Stage, agent: OpenAgent): Promise<string> {
  driver.otherwise();
  for (let count = 0; count < 100_000; count++) {
    try {
      told.push(await agent.prompt('x'.repeat(5_000)));
    } catch (error) {
      return errorCode(error) ?? String(error);
    }
  }
  return `none for ${rootId}`;
}

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => errorCode(error) ?? String(error),
  );
}
