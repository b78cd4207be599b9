/** Ways to spoil the recorded tree, each with the rule that must report it. */

import type { Mutations } from './mutations/mutation.ts';
import { mutationsOfLives } from './mutations/of-lives.ts';
import { mutationsOfLogs } from './mutations/of-logs.ts';
import { mutationsOfMail } from './mutations/of-mail.ts';
import { mutationsOfNotices } from './mutations/of-notices.ts';
import { mutationsOfRest } from './mutations/of-rest.ts';
import { mutationsOfTurns } from './mutations/of-turns.ts';

export const mutations: Mutations = {
  ...mutationsOfLogs,
  ...mutationsOfMail,
  ...mutationsOfTurns,
  ...mutationsOfLives,
  ...mutationsOfNotices,
  ...mutationsOfRest,
};
