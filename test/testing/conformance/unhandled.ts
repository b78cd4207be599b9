/** A process whose driver leaves a rejection behind: says what the suite makes of it. */
import { testDriver } from '../../../src/testing/index.ts';
import { complaintsOf } from './complaints.ts';
import { loopDriver } from './loop-driver.ts';

const create = (script: Parameters<typeof loopDriver>[0]) => loopDriver(script, 'leaves a rejection that nobody handles');
console.log(await complaintsOf(testDriver({ name: 'broken', create })));
