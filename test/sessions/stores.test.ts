/** Every store of ours keeps the contract that all others are held to. */
import { join } from 'node:path';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { testStore } from '../../src/testing/index.ts';
import { registerSuite } from '../../src/testing/vitest.ts';
import { faultyStore } from '../support/faulty-store.ts';
import { suiteFolder } from './temp-folder.ts';

const folder = suiteFolder('quick');
const paths = new WeakMap<object, string>();
let files = 0;

registerSuite(testStore({ name: 'the memory store', open: (opening) => memoryStore(opening) }));
registerSuite(testStore({ name: 'a faulty store without faults', open: (opening) => faultyStore(memoryStore(opening)) }));
registerSuite(
  testStore({
    name: 'the SQLite store',
    open: (opening) => openAt(join(folder, `${files++}.db`), opening),
    reopen: (store, opening) => openAt(paths.get(store) ?? '', opening),
  }),
  { timeoutMs: 60_000 },
);

function openAt(path: string, opening: Parameters<typeof memoryStore>[0]) {
  const store = sqliteStore({ ...opening, path });
  paths.set(store, path);
  return store;
}
