/** G-2: killed with an open tool call. The history is closed by a marked result, and the tool is not run again. */
import { expect, test } from 'vitest';
import type { AgentTool } from '../../src/agents/tool.ts';
import { textOf } from '../../src/sessions/content.ts';
import { imbalanceOf } from '../support/balance.ts';
import { gate } from '../support/gate.ts';
import { scriptedDriver } from '../support/scripted-driver.ts';
import { callsTogether, callsTool, says } from '../support/scripted-steps.ts';
import { countedIds, openWorld } from '../support/world.ts';

/** A root and a child that is killed while its tool runs; then a process that starts on the same store. */
async function killed(
  steps: (place: ReturnType<typeof gate>) => Parameters<ReturnType<typeof scriptedDriver>['script']>[1],
  delivery: 'parent' | 'caller' = 'parent',
) {
  const place = gate();
  let charges = 0;
  const charge: AgentTool = {
    ...{ name: 'charge', description: 'charges a card', inputSchema: { type: 'object' } },
    async execute() {
      charges++;
      await place.pass();
      return 'charged';
    },
  };
  const quick: AgentTool = {
    name: 'quick',
    description: 'answers',
    inputSchema: { type: 'object' },
    execute: () => 'quick answer',
  };
  const world = openWorld();
  const composition = { driver: world.driver, tools: [charge, quick] };
  world.driver.script('worker', steps(place));
  const root = await world.openRoot({ composition });
  const child = await world.start(root.agent, { delivery });
  await place.reached;
  await world.rest();
  world.store.inject({ at: 1, fault: 'crash' });
  const before = await world.log(child.childId);

  const driver = scriptedDriver();
  await world.advance(31_000); // the lease of the dead runs out
  const next = openWorld({ store: () => world.store.inner, clock: world.clock, ids: countedIds('r'), driver });
  const reopened = await next.openRoot({ id: root.id, composition: { driver, tools: [charge, quick] } });
  return { world: next, root: reopened, driver, childId: child.childId, before, chargesSoFar: () => charges };
}

test('recovery goes on with a closed and balanced history, and the tool is not run again (G-2, P09, P15, P18)', async () => {
  const { world, driver, childId, before, chargesSoFar } = await killed(() => [says('I charge now'), callsTool('charge')]);
  expect(await world.runtime.recover()).toMatchObject({ resumed: [childId] });
  const turn = await driver.turn('worker');
  await world.gone(childId);
  expect(chargesSoFar()).toBe(1);
  const log = await world.log(childId);
  expect(log.slice(0, before.length)).toEqual(before);
  const [marked] = await world.logOf(childId, 'tool/results');
  expect(marked?.data.content).toMatchObject([{ toolName: 'charge', isError: true, isInterrupted: true }]);
  expect((await world.logOf(childId, 'turn/ended'))[0]?.data).toMatchObject({ stopReason: 'error', isInterrupted: true });
  expect(turn.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'tool', 'user']);
  expect(turn.prompts.at(-1)).toContain('your last turn was cut off');
  expect(
    imbalanceOf(
      turn.history.map(({ role, content }) => ({
        role,
        calls: idsOf(content, 'tool-call'),
        results: idsOf(content, 'tool-result'),
      })),
    ),
  ).toBeUndefined();
});

function idsOf(content: readonly { readonly type: string; readonly callId?: string }[], type: string): string[] {
  return content.flatMap((block) => (block.type === type ? [block.callId ?? ''] : []));
}

test('of several calls the one that was answered keeps its answer (G-2, P18)', async () => {
  const { world, driver, childId } = await killed(() => [callsTool('quick'), callsTogether(['charge'], ['charge'])]);
  await world.runtime.recover();
  const turn = await driver.turn('worker');
  await world.gone(childId);
  const results = turn.history.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool-result' ? [block] : [])),
  );
  expect(results.map(({ output, isInterrupted }) => [output, isInterrupted ?? false])).toEqual([
    ['quick answer', false],
    [expect.stringContaining('may or may not have taken effect'), true],
    [expect.stringContaining('may or may not have taken effect'), true],
  ]);
});

test('a message resumes it as well as recovery does (G-2, S3.2)', async () => {
  const { world, root, driver, childId, chargesSoFar } = await killed(() => [callsTool('charge')]);
  await world.runtime.sendMessage(root.agent, childId, [{ type: 'text', text: 'how far are you?' }]);
  const turn = await driver.turn('worker');
  await world.gone(childId);
  expect(chargesSoFar()).toBe(1);
  const all = driver.turnsOf('worker').flatMap(({ prompts }) => prompts.join('\n'));
  expect(all.join('\n')).toContain('how far are you?');
  expect(turn.history.some(({ role, content }) => role === 'tool' && content.some((block) => block.isInterrupted))).toBe(true);
});

test('it is never reported as an answer: its end says what the resumed turn said, and comes once (G-2, P01, P17)', async () => {
  const { world, root, driver, childId } = await killed(() => [callsTool('charge')]);
  driver.script('worker', [says('I checked: it was charged')]);
  await world.runtime.recover();
  await world.gone(childId);
  await root.whenQuiet();
  const notices = (await world.logOf(root.id, 'inbox/inserted')).filter(({ data }) => data.source.kind === 'subagent-settled');
  expect(notices.map(({ data }) => textOf(data.content))).toEqual(['Final text:\nI checked: it was charged']);
});
