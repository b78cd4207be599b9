/** Plays the scenario on a SQLite file and kills itself at one operation. Prints how many there were if it lives to the end. */
import { appendFileSync, fsyncSync, openSync } from 'node:fs';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { dyingStore, type Moment } from './dying-store.ts';
import { openStage, playScenario, type Witness } from './scenario.ts';

const [folder = '', at = '0', moment = 'before'] = process.argv.slice(2);
const store = dyingStore(sqliteStore({ path: `${folder}/store.db` }), Number(at), moment as Moment, () =>
  process.kill(process.pid, 'SIGKILL'),
);
const witness = fileWitness(folder);
const stage = openStage(store, witness);
await playScenario(stage, store, witness);
console.log(JSON.stringify({ operations: store.operations, faults: stage.faults }));

function fileWitness(path: string): Witness {
  const told = openSync(`${path}/told`, 'a');
  const effects = openSync(`${path}/effects`, 'a');
  const write = (file: number, line: string) => {
    appendFileSync(file, `${line}\n`);
    fsyncSync(file);
  };
  return { told: (id) => write(told, id), effect: (key) => write(effects, key) };
}
