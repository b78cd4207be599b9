/** L-3: list, record, event, handle and notice say the same, at every moment at which somebody looks. */
import { expect, test } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import type { SubagentEvent } from '../../src/registry/event-hub.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { ends, type Step, says, throws, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';

const childId = toSessionId('child-1');
type View = readonly [event: string, activity: string | undefined, isListed: boolean, record: string];

/** What a listener finds that looks from inside the events of the child. */
function look(world: World, root: Agent): Promise<View>[] {
  const views: Promise<View>[] = [];
  world.runtime.events$.subscribe((event: SubagentEvent) => {
    if ((event.type !== 'subagent/start' && event.type !== 'subagent/end') || event.id !== childId) return;
    // asked for inside the event; what answers later must not have changed
    const listing = world.runtime.listAgents(root, 'descendants');
    const children = world.runtime.listChildren(root.id);
    const record = world.log(childId);
    const name = event.type === 'subagent/end' ? `end ${event.stopReason}` : 'start';
    views.push(
      (async () => {
        const ended = (await record).findLast(({ type }) => type === 'activation/ended' || type === 'turn/started');
        const said = ended?.type === 'activation/ended' ? ended.data.stopReason : 'open';
        const isListed = (await children).some(({ id }) => id === childId);
        return [name, (await listing).find(({ id }) => id === childId)?.activity, isListed, said];
      })(),
    );
  });
  return views;
}

const lives: readonly { readonly reason: string; readonly steps: readonly Step[]; readonly isStopped?: true }[] = [
  { reason: 'completed', steps: [says('done')] },
  { reason: 'max-tokens', steps: [says('so far'), ends('max-tokens')] },
  { reason: 'refusal', steps: [ends('refusal')] },
  { reason: 'error', steps: [throws(new Error('broken'))] },
  { reason: 'aborted', steps: [waitsAt()], isStopped: true },
];

test.each(lives)(
  'an end as $reason, and the next life, look the same from list, catalog, record, event, handle and notice (L-3, P27)',
  async ({ reason, steps, isStopped }) => {
    const world = openWorld();
    if (reason === 'error') world.expectFaults('driver');
    world.driver.script('worker', steps, [says('again')]);
    const root = await world.openRoot();
    const views = look(world, root.agent);
    const child = await world.start(root.agent, { childId });
    await world.rest();
    if (isStopped) world.runtime.interrupt(childId, { kind: 'ancestor', agent: root.agent });
    expect((await child.result).stopReason).toBe(reason);
    await world.gone(childId);
    await world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text: 'again' }]);
    await world.gone(childId);
    await world.rest();
    expect(await Promise.all(views)).toEqual([
      ['start', 'running', true, 'open'],
      [`end ${reason}`, 'inactive', true, reason],
      ['start', 'running', true, reason], // its message is committed next: on record is the life before
      ['end completed', 'inactive', true, 'completed'],
    ]);
    const notices = (await world.logOf(root.id, 'inbox/inserted')).flatMap(({ data: { source } }) =>
      source.kind === 'subagent-settled' ? [source.summary] : [],
    );
    expect(notices).toEqual([`worker ended: ${reason}`, 'worker ended: completed']);
    const runs = world.events.all.flatMap((event) =>
      event.type === 'subagent/start' || event.type === 'subagent/end' ? [event.runId] : [],
    );
    expect([runs[0] === runs[1], runs[2] === runs[3], runs[0] === runs[2]]).toEqual([true, true, false]);
  },
);
