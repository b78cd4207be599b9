import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'torn-tail-left',
  promise: 'R7: a record that was torn is passed over and not cut away, and what is written next lies behind it',
  patches: [
    {
      file: 'src/testing/simulation/journal.ts',
      from: 'if (first >= 0) this.#records.length = first;',
      to: '',
    },
    {
      file: 'src/testing/simulation/journal.ts',
      from: 'return this.#records.map(({ text }) => text);',
      to: 'return this.#records.slice(0, first >= 0 ? first : undefined).map(({ text }) => text);',
    },
  ],
};
