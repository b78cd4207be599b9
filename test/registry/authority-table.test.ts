/** S3.1, S3.7, S3.8, S4, P35: the whole table, every verb for every relation, and for every object that is no live agent. */
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import type { MessageId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { noteFigure } from '../support/figures.ts';
import type { World } from '../support/world.ts';
import { openFamily } from './family.ts';

const hello = [{ type: 'text', text: 'hello' }] as const;
const targets = {
  self: 'self',
  parent: 'parent',
  child: 'child',
  grandparent: 'root',
  grandchild: 'grandchild',
  sibling: 'sibling',
  cousin: 'cousin',
  stranger: 'stranger',
  'another root': 'other',
  'a child that has settled': 'settled',
  'a child that was replaced': 'replaced',
  'nobody of that id': 'nobody',
} as const;
type Relation = keyof typeof targets;

type Call = (world: World, caller: Agent, target: string) => Promise<unknown> | unknown;

/** What `self` may do to whom. Whoever is not named is refused as `UNAUTHORIZED`. */
const verbs: readonly (readonly [verb: string, allowed: readonly Relation[], call: Call])[] = [
  [
    'sendMessage',
    ['parent', 'child', 'a child that has settled', 'a child that was replaced'],
    ({ runtime }, caller, target) => runtime.sendMessage(caller, target, hello),
  ],
  [
    'prompt through self',
    ['child', 'a child that has settled', 'a child that was replaced'],
    ({ runtime }, caller, childId) =>
      runtime.prompt({ parentId: caller.id, childId, delivery: 'queue', requestId: 'r1', content: hello }),
  ],
  [
    'interrupt as ancestor',
    ['child', 'grandchild', 'a child that has settled', 'a child that was replaced', 'nobody of that id'],
    ({ runtime }, agent, target) => runtime.interrupt(target, { kind: 'ancestor', agent }),
  ],
  [
    'interrupt as the user of self',
    ['child', 'a child that has settled', 'a child that was replaced', 'nobody of that id'],
    ({ runtime }, { id }, target) => runtime.interrupt(target, { kind: 'user', parentSessionId: id }),
  ],
  [
    'drainChildren',
    ['child', 'a child that has settled', 'a child that was replaced', 'nobody of that id'],
    ({ runtime }, caller, target) => runtime.drainChildren(caller, [target]),
  ],
];

describe.each(verbs)('%s', (verb, allowed, call) => {
  test.each(Object.keys(targets) as Relation[])('on %s', async (relation) => {
    const { world, agent, facts } = await openFamily();
    const before = facts();
    const code = await codeOf(async () => call(world, agent('self'), targets[relation]));
    await world.rest();
    noteFigure('authorityCells', 1);
    expect(code, `${verb} on ${relation}`).toBe(allowed.includes(relation) ? 'done' : 'UNAUTHORIZED');
    const isAct = allowed.includes(relation) && world.isResident(targets[relation]);
    if (!allowed.includes(relation)) expect(facts(), 'a refusal changes nothing').toEqual(before);
    else if (isAct) expect(facts(), 'a grant has an effect').not.toEqual(before);
  });
});

const changes = ['edit', 'remove', 'steer'] as const;

test.each(changes)(
  'updateQueue %s changes live children only: a top-level, settled or unknown one is refused (S3.8)',
  async (kind) => {
    const { world, facts } = await openFamily();
    const before = facts();
    const change = { kind, messageId: 'm' as MessageId, content: hello };
    for (const [relation, target] of Object.entries(targets)) {
      const isChild = world.isResident(target) && world.resident(target).kind === 'local';
      const code = await codeOf(world.runtime.updateQueue(target, change));
      noteFigure('authorityCells', 1);
      expect(code, relation).toBe(isChild ? 'MESSAGE_NOT_FOUND' : 'NOT_RESUMABLE');
    }
    expect(facts()).toEqual(before);
  },
);

/** Everything that an agent object can be handed to. */
const acting: readonly (readonly [verb: string, call: (world: World, agent: Agent) => Promise<unknown> | unknown])[] = [
  ['sendMessage to the parent', ({ runtime }, agent) => runtime.sendMessage(agent, 'parent', hello)],
  ['sendMessage to the child', ({ runtime }, agent) => runtime.sendMessage(agent, 'child', hello)],
  ['sendMessage to itself', ({ runtime }, agent) => runtime.sendMessage(agent, 'self', hello)],
  ['interrupt a child', ({ runtime }, agent) => runtime.interrupt('child', { kind: 'ancestor', agent })],
  ['interrupt itself', ({ runtime }, agent) => runtime.interrupt('self', { kind: 'ancestor', agent })],
  ['interrupt nobody', ({ runtime }, agent) => runtime.interrupt('nobody', { kind: 'ancestor', agent })],
  ['drainDescendants', ({ runtime }, agent) => runtime.drainDescendants([agent])],
  [
    'drainDescendants beside a live one',
    (world, agent) => world.runtime.drainDescendants([world.resident('uncle').agent, agent]),
  ],
  ['drainChildren', ({ runtime }, agent) => runtime.drainChildren(agent, ['child'])],
  ['drainChildren of nobody', ({ runtime }, agent) => runtime.drainChildren(agent, [])],
  ['waitForChildren', ({ runtime }, agent) => runtime.waitForChildren(agent)],
  ['listAgents', ({ runtime }, agent) => runtime.listAgents(agent, 'descendants')],
  ['eventsOf', ({ runtime }, agent) => runtime.eventsOf(agent)],
  ['startActivation', (world, agent) => world.start(agent)],
];

test.each(acting)(
  '%s refuses every object that is no live agent, whatever it looks like, and changes nothing (P35)',
  async (verb, call) => {
    const { world, impostors, facts } = await openFamily();
    const before = facts();
    for (const [who, impostor] of impostors) {
      const code = await codeOf(async () => call(world, impostor));
      noteFigure('authorityCells', 1);
      expect(code, who).toBe(verb === 'startActivation' ? 'PARENT_UNAVAILABLE' : 'UNAUTHORIZED');
    }
    expect(facts()).toEqual(before);
  },
);

describe('an authority of the wrong shape', () => {
  const shapes: readonly unknown[] = [
    undefined,
    null,
    {},
    { kind: 'user' },
    { kind: 'user', parentSessionId: undefined },
    { kind: 'root', parentSessionId: 'parent' },
    { kind: 'ancestor' },
    { parentSessionId: 'parent' },
  ];

  test('it interrupts nobody: no child, no top-level agent, and it is not told who exists (S4.1)', async () => {
    const { world, facts } = await openFamily();
    const before = facts();
    for (const shape of shapes) {
      for (const target of ['self', 'root', 'nobody']) {
        const code = await codeOf(() => world.runtime.interrupt(target, shape as never));
        noteFigure('authorityCells', 1);
        expect(code, `${JSON.stringify(shape)} on ${target}`).toBe('UNAUTHORIZED');
      }
    }
    await world.rest();
    expect(facts()).toEqual(before);
  });
});
