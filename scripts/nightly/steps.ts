/** What a nightly run consists of, and what of it is run when time is short. Sizes and bounds are for two cores. */

export const sizes = ['ci', 'nightly'] as const;
export type Size = (typeof sizes)[number];

export interface Command {
  /** A program of node_modules/.bin and its arguments. `{json}` is a file for figures, one object with numbers. */
  readonly run: readonly [program: string, ...values: string[]];
  /** Added to the environment, from which all TROUPE_ variables were taken. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface NightlyStep extends Readonly<Record<Size, Command>> {
  readonly name: string;
  /** After so many minutes it is ended and has failed. */
  readonly minutesMax: number;
}

/** After so many minutes no further step is begun, and the one that runs is ended. */
export const nightMinutesMax = 90;

/** Of the planted defects: one for each of the promises that matter most. */
const sample = [
  ...[
    'told-before-commit',
    'message-claimed-twice',
    'messages-overtake',
    'two-activations',
    'parent-released-first',
    'wake-dropped',
  ],
  ...['torn-tail-left', 'failed-sync-tried-again', 'orphan-run', 'notice-lost', 'notice-told-twice', 'mail-discarded-by-drain'],
].join(',');
const isNightly = { TROUPE_NIGHTLY: '1' } as const;
const manyLives = { TROUPE_SEEDS: '3000', TROUPE_PROGRAMS: '4000', TROUPE_LIVES: '250', TROUPE_RUNS: '20000' } as const;
const vitest = (...values: string[]) => ['vitest', 'run', ...values] as const;

export const steps = [
  {
    name: 'sim',
    minutesMax: 30,
    ci: { run: ['node', 'test/simulation/main.ts', '--seeds', '600', '--json', '{json}'] },
    nightly: { run: ['node', 'test/simulation/main.ts', '--seeds', '9000', '--twice', '1000', '--json', '{json}'] },
  },
  {
    name: 'defects',
    minutesMax: 20,
    ci: { run: ['node', 'test/simulation/defects/main.ts', '--only', sample, '--seeds', '200', '--json', '{json}'] },
    nightly: { run: ['node', 'test/simulation/defects/main.ts', '--seeds', '200', '--json', '{json}'] },
  },
  {
    name: 'crash',
    minutesMax: 20,
    ci: { run: vitest('--config', 'vitest.crash.config.ts') },
    nightly: { run: vitest('--config', 'vitest.crash.config.ts'), env: isNightly },
  },
  {
    name: 'fuzz',
    minutesMax: 25,
    ci: { run: vitest('test/fuzz', 'test/sessions/sqlite-damage.test.ts') },
    nightly: { run: vitest('test/fuzz', 'test/sessions/sqlite-damage.test.ts'), env: isNightly },
  },
  both('paths', 10, vitest('--config', 'vitest.model.config.ts')),
  {
    name: 'authority',
    minutesMax: 15,
    ci: { run: vitest('test/registry/authority') },
    nightly: { run: vitest('test/registry/authority'), env: isNightly },
  },
  {
    name: 'leaks',
    minutesMax: 10,
    ci: { run: vitest('test/registry/leaks', 'test/registry/process-leaks', 'test/registry/released-memory') },
    nightly: {
      run: vitest('test/registry/leaks', 'test/registry/process-leaks', 'test/registry/released-memory'),
      env: isNightly,
    },
  },
  {
    name: 'random',
    minutesMax: 15,
    ci: { run: vitest('test/registry/random-lives', 'test/simulation/trees', 'test/testing/trace') },
    nightly: { run: vitest('test/registry/random-lives', 'test/simulation/trees', 'test/testing/trace'), env: manyLives },
  },
  both('test', 15, vitest()),
  {
    name: 'shuffled',
    minutesMax: 50,
    ci: { run: ['node', 'scripts/nightly/shuffled.ts', '--runs', '2', '--json', '{json}', 'test/actors', 'test/sessions'] },
    nightly: { run: ['node', 'scripts/nightly/shuffled.ts', '--runs', '10', '--json', '{json}'] },
  },
] as const satisfies readonly NightlyStep[];

export type StepName = (typeof steps)[number]['name'];

function both<const Name extends string>(name: Name, minutesMax: number, run: Command['run']) {
  return { name, minutesMax, ci: { run }, nightly: { run } } as const;
}
