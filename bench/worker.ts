/** The process of one row: measures it, sends the figures to its parent, ends. */
import type { Figures } from './row.ts';
import { rows } from './rows.ts';

const [name, effort] = process.argv.slice(2);
const row = rows.find((one) => one.name === name);
if (row === undefined) throw new Error(`there is no row ${name}`);
const figures: Figures = await row.measure({ isQuick: effort === 'quick' });
process.send?.(figures);
process.disconnect?.();
