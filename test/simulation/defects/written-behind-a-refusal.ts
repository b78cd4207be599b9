import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'written-behind-a-refusal',
  promise: 'R9, I3 of sessions: what was appended behind a refused write is written all the same',
  patches: [
    {
      file: 'src/sessions/session.ts',
      from: `      this.#rejectNext(error);
      return error;`,
      to: `      this.#writeNext();
      return error;`,
    },
  ],
};
