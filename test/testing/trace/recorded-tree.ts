/** A tree that has lived through all that a log can tell, recorded from a real run with a crash in it. */
import { toSessionId } from '../../../src/sessions/ids.ts';
import type { SessionStore } from '../../../src/sessions/store.ts';
import type { RecordedSession } from '../../../src/testing/trace/trace.ts';
import { delegateTool } from '../../../src/tools/delegate.ts';
import { afterCrash, rootId } from '../../registry/after-crash.ts';
import { gate } from '../../support/gate.ts';
import { scriptedProvider } from '../../support/scripted-provider.ts';
import { callsTool, ends, leavesCallOpen, says, submits, takesSteering, waitsAt } from '../../support/scripted-steps.ts';
import { openWorld, type World } from '../../support/world.ts';

export interface RecordedTree {
  /** The sessions by the labels of their agents. */
  readonly byLabel: Readonly<Record<string, RecordedSession>>;
  readonly store: SessionStore;
}

const text = (words: string) => [{ type: 'text', text: words }] as const;

/**
 *     donor ── forked: seeded with a turn
 *     root ─┬─ waited: in a tool call             ├─ failing: told of a diagnostic
 *           ├─ worker: steered, edited, resumed   ├─ stopped: disposed with mail
 *           ├─ remote: external                   ├─ orphan: its caller’s turn was cut off
 *           ├─ valued: a structured result        └─ cut: was in a turn itself
 */
export async function recordTree(): Promise<RecordedTree> {
  const before = openWorld();
  await fork(before);
  const root = await before.openRoot({ id: rootId, composition: compositionOf(before) });
  await delegate(before, root);
  await steer(before, root.agent);
  await startTheRest(before, root.agent);
  await cutOff(before, root);
  const after = afterCrash(before);
  const again = await after.openRoot({ id: rootId, composition: compositionOf(after) });
  await after.runtime.recover();
  await again.whenQuiet();
  await again.prompt('the last question');
  await again.whenQuiet();
  await after.close();
  return read(after.store.inner, [...before.store.calls, ...after.store.calls]);
}

type Root = Awaited<ReturnType<World['openRoot']>>;

function compositionOf({ driver, runtime }: World) {
  const look = { name: 'look', description: 'looks', inputSchema: { type: 'object' }, execute: async () => 'seen' } as const;
  return { driver, tools: [delegateTool({ runtime, provider: 'spawn' }), look] };
}

async function fork({ openRoot, start }: World): Promise<void> {
  const donor = await openRoot({ id: 'donor', label: 'donor' });
  await donor.prompt('to be inherited');
  await donor.whenQuiet();
  await (await start(donor.agent, { label: 'forked', provider: 'fork' })).result;
  await donor.whenQuiet();
  await donor.close();
}

async function delegate(world: World, root: Root): Promise<void> {
  const task = { description: 'waited', prompt: 'a task', run_in_background: false };
  world.driver.script('root', [says('planning'), callsTool('look'), callsTool('delegate', task), says('first')]);
  world.driver.script('waited', [callsTool('look'), says('the answer')]);
  await root.prompt('begin');
  await root.whenQuiet();
}

/** Mail of every kind on both lanes, edits and promotions, and a second activation. */
async function steer({ driver, runtime, start, gone }: World, agent: Root['agent']): Promise<void> {
  const place = gate();
  const childId = toSessionId('worker');
  driver.script('worker', [waitsAt(place), takesSteering(), says('half')], [says('done')]);
  await start(agent, { label: 'worker', childId });
  await place.reached;
  for (const words of ['one', 'two']) await runtime.sendMessage(agent, childId, text(words));
  const queue = { parentId: agent.id, childId, delivery: 'queue', content: text('queued') } as const;
  const prompt = (requestId: string) => runtime.prompt({ ...queue, requestId });
  await prompt('kept');
  const edited = await prompt('edited');
  const promoted = await prompt('promoted');
  const removed = await prompt('removed');
  await runtime.updateQueue(childId, { kind: 'edit', messageId: edited, content: text('rewritten') });
  await runtime.updateQueue(childId, { kind: 'steer', messageId: promoted });
  await runtime.updateQueue(childId, { kind: 'remove', messageId: removed });
  place.open();
  await gone(childId);
  await runtime.sendMessage(agent, childId, text('again'));
  await gone(childId);
}

async function startTheRest(world: World, agent: Root['agent']): Promise<void> {
  const { driver, runtime, start, rest } = world;
  const remote = scriptedProvider();
  runtime.registerProvider(remote);
  await start(agent, { label: 'remote', provider: 'remote' });
  (await remote.run(1)).settle({ output: text('from afar') });
  driver.script('valued', [says('thinking'), submits({ sum: 3 })]);
  await (await start(agent, { label: 'valued', outputSchema: { type: 'object' } })).result;
  driver.script('failing', [says('so far'), ends('refusal', 'it would not')]);
  await (await start(agent, { label: 'failing' })).result;
  driver.script('stopped', [waitsAt()]);
  const stopped = await start(agent, { label: 'stopped', delivery: 'caller' });
  await driver.turn('stopped');
  await runtime.sendMessage(agent, stopped.childId, text('in vain'));
  await stopped.dispose();
  await rest();
}

/** The process dies while the root is in a turn that has heard one child itself and waits for another. */
async function cutOff(world: World, root: Root): Promise<void> {
  const { driver, start, rest } = world;
  driver.script('cut', [leavesCallOpen('look', 'cut-call'), waitsAt()]);
  driver.script('root', [
    async (turn) => {
      await (await start(turn.agent, { label: 'orphan', delivery: 'caller' })).result;
      await start(turn.agent, { label: 'cut', delivery: 'caller' });
    },
    leavesCallOpen('look', 'root-call'),
    waitsAt(),
  ]);
  await root.inject('beside it');
  await root.prompt('go on');
  await driver.turn('cut');
  await rest();
}

async function read(store: SessionStore, calls: World['store']['calls']): Promise<RecordedTree> {
  const byLabel: Record<string, RecordedSession> = {};
  for (const { method, session } of calls) {
    const head = method === 'create' ? await store.head(toSessionId(session)) : undefined;
    if (head === undefined) continue;
    const events = await store.read(head.header.id);
    const own = events.slice(head.header.inheritedEvents).find((event) => event.type === 'subagent/descriptor');
    const topLevel = head.header.id === rootId ? 'root' : head.header.id;
    byLabel[own?.type === 'subagent/descriptor' ? own.data.label : topLevel] = { header: head.header, events };
  }
  return { byLabel, store };
}
