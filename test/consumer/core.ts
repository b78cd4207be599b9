/** An application without a browser's types: what does not mention the AI SDK must compile without them. */
import * as troupe from 'troupe';
import * as machines from 'troupe/machines';
import * as fork from 'troupe/providers/fork';
import * as spawn from 'troupe/providers/spawn';
import * as memory from 'troupe/stores/memory';
import * as sqlite from 'troupe/stores/sqlite';
import * as testing from 'troupe/testing';
import * as nodeTest from 'troupe/testing/node-test';
import * as vitest from 'troupe/testing/vitest';
import * as delegate from 'troupe/tools/delegate';
import * as interruptAgent from 'troupe/tools/interrupt-agent';
import * as listAgents from 'troupe/tools/list-agents';
import * as sendMessage from 'troupe/tools/send-message';

export const everything = {
  ...{ troupe, machines, fork, spawn, memory, sqlite, delegate, interruptAgent, listAgents, sendMessage },
  ...{ testing, nodeTest, vitest },
};
