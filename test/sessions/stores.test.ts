/** Every store of ours keeps the contract that all others are held to. */
import { join } from 'node:path';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { type StoreConformance, testStore } from '../../src/testing/index.ts';
import { registerSuite, type VitestOptions } from '../../src/testing/vitest.ts';
import { faultyStore } from '../support/faulty-store.ts';
import { counted } from '../support/figures.ts';
import { suiteFolder } from './temp-folder.ts';

const folder = suiteFolder('quick');
const paths = new WeakMap<object, string>();
let files = 0;

holds({ name: 'the memory store', open: (opening) => memoryStore(opening) });
holds({ name: 'a faulty store without faults', open: (opening) => faultyStore(memoryStore(opening)) });
holds(
  {
    name: 'the SQLite store',
    open: (opening) => openAt(join(folder, `${files++}.db`), opening),
    reopen: (store, opening) => openAt(paths.get(store) ?? '', opening),
  },
  { timeoutMs: 60_000 },
);

function holds(subject: StoreConformance, options?: VitestOptions): void {
  registerSuite(counted(testStore(subject)), options);
}

function openAt(path: string, opening: Parameters<typeof memoryStore>[0]) {
  const store = sqliteStore({ ...opening, path });
  paths.set(store, path);
  return store;
}
