/** All rows, in the order of the table. */
import type { Row } from './row.ts';
import { drainRows } from './rows/drain.ts';
import { heapPerWaitingChild } from './rows/heap.ts';
import { lifecycleMemory, lifecycleMemory10k, lifecycleMemory100k, lifecycleSqlite } from './rows/lifecycle.ts';
import { list1000 } from './rows/list.ts';
import { messagesMemory, messagesSqlite } from './rows/messages.ts';
import { resumeRows } from './rows/resume.ts';
import { messagesSqlite64, notices1000 } from './rows/together.ts';

export const rows: readonly Row[] = [
  lifecycleMemory,
  lifecycleSqlite,
  lifecycleMemory10k,
  lifecycleMemory100k,
  ...drainRows,
  heapPerWaitingChild,
  messagesMemory,
  messagesSqlite,
  messagesSqlite64,
  notices1000,
  ...resumeRows,
  list1000,
];
