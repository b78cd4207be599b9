/** Plays seeds with a defect planted in the library. */
import { workerData } from 'node:worker_threads';
import { loadDefect } from './all-defects.ts';
import { plant } from './plant.ts';

const defect = await loadDefect(String(workerData));
const unplanted = plant(defect);
await import('../run/play-seed.ts');
if (unplanted().length > 0) throw new Error(`defect ${defect.name}: nothing loads ${unplanted().join(', ')}`);
await import('../run/worker.ts');
