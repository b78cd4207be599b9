/**
 * S7, S1.9, S3: content of messages through every door. What was accepted lies in the log as it was given; a refusal leaves the
 * inbox, the log and the capacity as they were, and whoever refused goes on.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import type { ContentBlock } from '../../src/sessions/content.ts';
import { sqliteStore } from '../../src/sessions/stores/sqlite.ts';
import { tempFolder } from '../sessions/temp-folder.ts';
import { says, waitsAt } from '../support/scripted-steps.ts';
import { openWorld, type World } from '../support/world.ts';
import { anything, noJson, objectOf, Sample, text } from './hostile.ts';
import { cases, holds, patience } from './settings.ts';
import { refusedOrDone } from './untouched.ts';

type Content = readonly ContentBlock[];

/** A way in: gives the content, and says in whose log it must lie then. */
type Door = (house: House, content: Content) => Promise<string>;

interface House {
  readonly world: World;
  readonly root: Agent & { readonly id: string };
  readonly open: Awaited<ReturnType<World['openRoot']>>;
  readonly worker: Agent;
}

let requests = 0;

const doors: Readonly<Record<string, Door>> = {
  async 'a prompt to the top-level agent'({ open }, content) {
    await open.prompt(content);
    return open.id;
  },
  async 'context laid beside the conversation'({ open }, content) {
    await open.inject(content);
    return open.id;
  },
  async 'a message to a child'({ world, root, worker }, content) {
    await world.runtime.sendMessage(root, worker.id, content);
    return worker.id;
  },
  async 'a message to the parent'({ world, root, worker }, content) {
    await world.runtime.sendMessage(worker, root.id, content);
    return root.id;
  },
  async 'a person’s message to a child'({ world, root, worker }, content) {
    const request = { parentId: root.id, childId: worker.id, requestId: `r${requests++}`, delivery: 'queue' } as const;
    await world.runtime.prompt({ ...request, content });
    return worker.id;
  },
  async 'the task of a new child'({ world, root }, content) {
    const child = await world.start(root, { label: 'other', prompt: content });
    await child.result;
    return child.childId;
  },
};
const doorNames = Object.keys(doors);

async function house(store: 'memory' | 'sqlite' = 'memory', messageBytes = 1024 * 1024): Promise<House> {
  const folder = store === 'sqlite' ? tempFolder('quick') : '';
  const world = openWorld({
    limits: { childrenPerAgent: 1_000_000, inboxMessages: 1_000_000, inboxBytes: 1e9, messageBytes },
    ...(store === 'sqlite' && { store: (clock) => sqliteStore({ path: `${folder}/s.db`, clock }) }),
  });
  world.driver.isSeeing = true;
  world.driver.isBlind = true; // the histories grow long
  world.driver.script('root', [waitsAt()]);
  world.driver.script('worker', [waitsAt()]);
  const open = await world.openRoot();
  const worker = await world.start(open.agent, { label: 'worker' });
  await open.prompt('go');
  await world.rest();
  return { world, root: open.agent, open, worker: world.resident(worker.childId).agent };
}

/** The content of the newest message in a log. */
async function newest(world: World, id: string): Promise<Content | undefined> {
  return (await world.logOf(id, 'inbox/inserted')).at(-1)?.data.content;
}

/** Who refused still takes a message, and starts a child that answers. */
async function worksOn({ world, root, worker, open }: House): Promise<void> {
  await world.runtime.sendMessage(root, worker.id, [{ type: 'text', text: 'still there?' }]);
  await world.runtime.sendMessage(worker, root.id, [{ type: 'text', text: 'yes' }]);
  await open.prompt('and you?');
  world.driver.script('other', [says('done')]);
  expect(await (await world.start(root, { label: 'other' })).result).toMatchObject({ output: [{ text: 'done' }] });
}

describe.each(['memory', 'sqlite'] as const)('on the %s store', (store) => {
  test.each(doorNames)('%s lies in the log as it was given (S3, S7)', patience(30_000), async (name) => {
    const at = await house(store);
    const block = fc.oneof(
      text.map((value) => ({ type: 'text', text: value }) as const),
      fc.tuple(text, text).map(([mediaType, data]) => ({ type: 'image', mediaType, data }) as const),
    );
    const content = fc.array(block, { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(content, async (given) => {
      const saysNothing = given.every((one) => one.type === 'text' && one.text === '');
      let id = '';
      const outcome = await refusedOrDone(at.world, async () => {
        id = (await doors[name]?.(at, given)) ?? '';
      });
      expect(outcome).toBe(saysNothing ? 'INVALID_ARGUMENT' : 'done');
      if (!saysNothing) expect(await newest(at.world, id)).toStrictEqual(given);
    });
    await holds(property, cases(40, 2_000), 'hostileValues');
    await worksOn(at);
  });
});

const blocks = fc.array(
  objectOf({ type: ['text', 'image', 'tool-call'], text: ['x', ''], mediaType: ['image/png'], data: ['aa'], extra: [] }),
  { maxLength: 3 },
);
const anyContent = fc.oneof(
  blocks.map((list) => new Sample(fc.stringify(list), () => list.map((block) => block.make()))),
  anything,
);

test.each(doorNames)('anything as %s is taken, known fields only, or refused (S6, S7)', patience(30_000), async (name) => {
  const at = await house();
  const property = fc.asyncProperty(anyContent, async (sample) => {
    let id = '';
    const outcome = await refusedOrDone(at.world, async () => {
      id = (await doors[name]?.(at, sample.make() as Content)) ?? '';
    });
    expect(['done', 'INVALID_ARGUMENT']).toContain(outcome);
    for (const block of outcome === 'done' ? ((await newest(at.world, id)) ?? []) : [])
      expect(Object.keys(block)).toEqual(block.type === 'text' ? ['type', 'text'] : ['type', 'mediaType', 'data']);
  });
  await holds(property, cases(150, 5_000), 'hostileValues');
  await worksOn(at);
});

test.each(doorNames)(
  '%s has at most messageBytes bytes of UTF-8, whatever they are made of (S5)',
  patience(30_000),
  async (name) => {
    const at = await house('memory', 600);
    const pieces: readonly (readonly [piece: string, bytes: number])[] = [
      ['x', 1],
      ['ö', 2],
      ['\u2028', 3],
      ['\ud800', 3],
      ['😀', 4],
      ['\0', 1],
    ];
    for (const [piece, bytes] of pieces) {
      for (const count of [600 / bytes - 1, 600 / bytes, 600 / bytes + 1]) {
        const outcome = await refusedOrDone(at.world, () => doors[name]?.(at, [{ type: 'text', text: piece.repeat(count) }]));
        expect(outcome, `${count} × ${JSON.stringify(piece)}`).toBe(count * bytes > 600 ? 'MESSAGE_TOO_LARGE' : 'done');
      }
      const image = { type: 'image', mediaType: piece, data: piece.repeat(600 / bytes) } as const;
      expect(await refusedOrDone(at.world, () => doors[name]?.(at, [image]))).toBe('MESSAGE_TOO_LARGE');
    }
    await worksOn(at);
  },
);

test.each(doorNames)('%s has at most 1,000 blocks: empty ones have no bytes (S5)', patience(30_000), async (name) => {
  const at = await house();
  const empty = { type: 'text', text: '' } as const;
  const of = (count: number) => [{ type: 'text', text: 'x' } as const, ...Array.from({ length: count - 1 }, () => empty)];
  expect(await refusedOrDone(at.world, () => doors[name]?.(at, of(1_000)))).toBe('done');
  expect(await refusedOrDone(at.world, () => doors[name]?.(at, of(1_001)))).toBe('INVALID_ARGUMENT');
  expect(await refusedOrDone(at.world, () => doors[name]?.(at, of(1_000_000)))).toBe('INVALID_ARGUMENT');
  await worksOn(at);
});

test.each(doorNames)('%s that changes while it is read, or later, is taken as it was when it was checked (S7)', async (name) => {
  const at = await house('memory', 600);
  let reads = 0;
  const block = {
    type: 'text',
    get text() {
      reads++;
      return reads === 1 ? 'first' : 'x'.repeat(10_000);
    },
  } as const;
  const content: ContentBlock[] = [block];
  const delivery = doors[name]?.(at, content);
  content.push({ type: 'text', text: 'later' });
  expect(await newest(at.world, (await delivery) ?? '')).toEqual([{ type: 'text', text: 'first' }]);
  expect(reads).toBe(1);
});

test.each(Object.keys(noJson))('a question that is %s is refused, and the last answer is not forgotten (S7)', async (name) => {
  const world = openWorld();
  const root = await world.openRoot();
  expect(await root.ask('hello')).toMatchObject({ output: [{ text: 'ok' }] });
  expect(await refusedOrDone(world, () => root.ask([noJson[name]?.()] as never))).toBe('INVALID_ARGUMENT');
  expect(await root.whenQuiet()).toMatchObject({ output: [{ text: 'ok' }] });
});

test('an edit of a waiting message is taken as it was given, or refused and the message waits as it was (S3.8, S7)', {
  ...patience(30_000),
}, async () => {
  const at = await house();
  const { world, root, worker } = at;
  const content = [{ type: 'text', text: 'as it was' }] as const;
  const request = { parentId: root.id, childId: worker.id, requestId: 'edited', delivery: 'queue', content } as const;
  const messageId = await world.runtime.prompt(request);
  const waiting = () => world.resident(worker.id).inbox.find(messageId)?.content;
  const change = objectOf({
    kind: ['edit', 'edit', 'edit'],
    messageId: [messageId, messageId],
    content: [[{ type: 'text', text: 'new' }]],
  });
  const property = fc.asyncProperty(fc.oneof(change, anyContent), async (sample) => {
    const before = waiting();
    const outcome = await refusedOrDone(world, () => world.runtime.updateQueue(worker.id, sample.make() as never));
    if (outcome !== 'done') expect(waiting()).toBe(before);
    else expect((await world.logOf(worker.id, 'inbox/edited')).at(-1)?.data.content).toEqual(waiting());
  });
  await holds(property, cases(200, 10_000), 'hostileValues');
  expect(await world.logOf(worker.id, 'inbox/edited')).not.toEqual([]);
  await worksOn(at);
});
