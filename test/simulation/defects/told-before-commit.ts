import type { Defect } from '../planting/defect.ts';

export const defect: Defect = {
  name: 'told-before-commit',
  promise: 'R1, S3.5: the id of a message is told before the message is in the store',
  patches: [
    {
      file: 'src/actors/mail.ts',
      from: `await session.append([{ type: 'inbox/inserted', time: world.clock.now(), data: message }]);`,
      to: `session.append([{ type: 'inbox/inserted', time: world.clock.now(), data: message }]).catch(() => undefined);`,
    },
  ],
};
