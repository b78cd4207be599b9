/** D-1: stopping one of three touches that one only, and is not undone. */
import { expect, test } from 'vitest';
import type { AgentTool } from '../../src/agents/tool.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { gate } from '../support/gate.ts';
import { callsTool, says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld } from '../support/world.ts';

/** A tool whose permission the person denies: the model sees an error, as it does for every tool that fails. */
const denied: AgentTool = {
  name: 'write',
  description: 'writes a file',
  inputSchema: { type: 'object' },
  execute: () => {
    throw new Error('permission denied');
  },
};

test.each(['interrupt', 'drain'] as const)(
  'by %s: the sibling that has ended, the one that was denied something and the parent’s turn go on as if nothing had happened (D-1, P10)',
  async (how) => {
    const world = openWorld();
    const [parentAt, thirdAt] = [gate(), gate()];
    world.driver.script('root', [waitsAt(parentAt), takesSteering(), says('noted')]);
    world.driver.script('one', [waitsAt()]);
    world.driver.script('two', [says('two is done')]);
    world.driver.script('three', [waitsAt(thirdAt), callsTool('write'), says('went on without')]);
    const root = await world.openRoot({ composition: { driver: world.driver, tools: [denied] } });
    const asking = root.ask('begin');
    await parentAt.reached;
    const start = (label: string) => world.start(root.agent, { label, childId: toSessionId(label) });
    const [one, two, three] = [await start('one'), await start('two'), await start('three')];
    expect((await two.result).stopReason).toBe('completed');
    await thirdAt.reached;

    if (how === 'interrupt') world.runtime.interrupt('one', { kind: 'ancestor', agent: root.agent });
    else await world.runtime.drainChildren(root.agent, ['one']);
    thirdAt.open();
    expect((await one.result).stopReason).toBe('aborted');
    expect(await three.result).toMatchObject({ stopReason: 'completed', output: [{ text: 'went on without' }] });
    expect(world.driver.turnsOf('three')[0]?.results).toMatchObject([{ isError: true, output: 'permission denied' }]);
    for (const label of ['root', 'two', 'three'])
      expect(world.driver.turnsOf(label)[0]?.turn.signal.aborted, `${label} heard a stop`).toBe(false);

    parentAt.open();
    await asking;
    await root.ask('another turn');
    expect(world.driver.turnsOf('one'), 'it stays stopped').toHaveLength(1);
    expect(world.isResident('one')).toBe(false);
    expect((await world.runtime.readResult('two')).output).toMatchObject([{ text: 'two is done' }]);
    expect(world.events.lives('one')).toEqual(['start one', 'end one aborted']);
  },
);
