/**
 * One tree with everybody that an agent can be related to, each in a turn that only a stop ends:
 *
 *     root ─┬─ parent ─┬─ self ─┬─ child ── grandchild      other ── stranger
 *           │          │        ├─ settled (has ended)
 *           │          │        └─ replaced (its second activation)
 *           │          └─ sibling
 *           └─ uncle ── cousin
 */
import type { Agent } from '../../src/agents/agent.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

export interface Family {
  readonly world: World;
  /** The agent that lives under the id now. */
  agent(id: string): Agent;
  /** Objects of agents that are no more, and objects that never were one. */
  readonly impostors: ReadonlyMap<string, Agent>;
  /** What a refused call must not change: agents, stopped turns, and the number of writes. */
  facts(): unknown;
}

export async function openFamily(): Promise<Family> {
  const world = openWorld({ limits: { depthMax: 9 }, capacity: { perRoot: 50 } });
  world.driver.otherwise(waitsAt());
  world.driver.script('settled', [says('bye')]);
  world.driver.script('replaced', [says('bye')]);
  for (const id of ['root', 'other']) await world.openRoot({ id, label: id });
  const agent = (id: string) => world.resident(id).agent;
  const start = async (parent: string, ...ids: readonly string[]) => {
    for (const id of ids) await world.start(agent(parent), { label: id, childId: toSessionId(id) });
  };
  await start('root', 'parent', 'uncle');
  await start('other', 'stranger');
  await start('uncle', 'cousin');
  await start('parent', 'self', 'sibling');
  await start('self', 'child', 'settled', 'replaced');
  await start('child', 'grandchild');
  await world.rest();
  const replaced = world.driver.turnsOf('replaced')[0]?.agent as Agent;
  await world.runtime.sendMessage(agent('self'), 'replaced', [{ type: 'text', text: 'again' }]);
  await world.rest();
  const self = agent('self');
  const impostors = new Map<string, Agent>([
    ['an agent that has settled', world.driver.turnsOf('settled')[0]?.agent as Agent],
    ['the instance before this one', replaced],
    ['a copy with all the fields', { id: self.id, depth: self.depth, label: self.label, cwd: self.cwd }],
    ['an object that inherits from the agent', Object.create(self) as Agent],
    ['a proxy of the agent', new Proxy(self, {})],
    ['an object with another’s id', { id: 'parent' } as Agent],
    ['the bare id', 'self' as never],
    ['nothing', undefined as never],
  ]);
  const stopped = () => world.driver.turns.filter(({ turn }) => turn.signal.aborted).map(({ label }) => label);
  const facts = () => ({ live: [...world.registry.residents.keys()].sort(), stopped: stopped(), writes: world.store.writes });
  return { world, agent, impostors, facts };
}
