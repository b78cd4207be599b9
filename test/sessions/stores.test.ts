import { join } from 'node:path';
import { memoryStore } from '../../src/sessions/stores/memory.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { faultyStore } from '../support/faulty-store.ts';
import { storeContract } from './store-contract.ts';
import { suiteFolder } from './temp-folder.ts';

const folder = suiteFolder('quick');
let files = 0;

storeContract('the memory store', (options) => memoryStore(options));
storeContract('the SQLite store', (options) => sqliteStore({ ...options, path: join(folder, `${files++}.db`) }));
storeContract('a faulty store without faults', (options) => faultyStore(memoryStore(options)));
