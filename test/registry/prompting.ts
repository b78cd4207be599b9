/** What the tests of a person's prompts share: a child that waits in its first turn, and the fates of its messages. */
import type { SubagentPromptRequest } from '../../src/registry/prompt.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { gate } from '../support/gate.ts';
import { says, takesSteering, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World, type WorldSetup } from '../support/world.ts';

export const childId = toSessionId('child-1');
export const text = (words: string) => [{ type: 'text', text: words }] as const;

/** A child in its first turn, waiting at a gate before a step boundary. */
export async function running(setup: WorldSetup = {}) {
  const world = openWorld(setup);
  const place = gate();
  world.driver.script('worker', [waitsAt(place), takesSteering(), says('done')]);
  const root = await world.openRoot({ id: 'root' });
  const child = await world.start(root.agent, { childId });
  await place.reached;
  return { world, root, child, place, prompt: prompter(world) };
}

export const prompter =
  ({ runtime }: World) =>
  (requestId: string, more: Partial<SubagentPromptRequest> = {}, signal?: AbortSignal) =>
    runtime.prompt(
      {
        ...{ parentId: 'root', childId, delivery: 'queue', requestId, content: text(requestId) },
        ...more,
      } as SubagentPromptRequest,
      signal,
    );

/** How often each message is in the log, and by which turn it was claimed. */
export async function fates(world: World, id: string = childId): Promise<readonly string[]> {
  const events = await world.log(id);
  return events.flatMap((event) =>
    event.type === 'inbox/inserted'
      ? [`in ${event.data.messageId}`]
      : event.type === 'inbox/claimed'
        ? event.data.messageIds.map((messageId) => `out ${messageId}`)
        : [],
  );
}
export const onlyOf = (all: readonly string[], requestId: string) => all.filter((fate) => fate.endsWith(`request:${requestId}`));
