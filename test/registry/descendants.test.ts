/** S6.4: the listing of everything below a session. */
import { describe, expect, test } from 'vitest';
import { SessionQueryError, SubagentError } from '../../src/errors.ts';
import type { ChildMode, SessionEventMap } from '../../src/sessions/event.ts';
import { type SessionId, toSessionId } from '../../src/sessions/ids.ts';
import { codeOf } from '../support/code-of.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { openWorld, type World } from '../support/world.ts';

const id = toSessionId;

/** A session as an older, foreign or damaged log may hold it: catalog entries, and a descriptor unless it is left out. */
async function store(
  world: World,
  name: string,
  children: readonly (readonly [id: string, mode?: ChildMode])[] = [],
  descriptor: unknown = { version: 1, provider: 'spawn', mode: 'continuable', label: name, agentOptions: {} },
  parentSession?: string,
): Promise<SessionId> {
  const header = {
    ...{ version: 1 as const, id: id(name), createdAt: 0, cwd: '/project', project: '/project', delegationDepth: 1 },
    ...{ isSeeded: false, inheritedEvents: 0 },
    ...(parentSession !== undefined && { parentSession: id(parentSession), origin: 'subagent' as const }),
  } as const;
  const described =
    descriptor === undefined
      ? []
      : [{ type: 'subagent/descriptor', time: 0, data: descriptor as SessionEventMap['subagent/descriptor'] } as const];
  const listed = children.map(
    ([childId, mode = 'continuable']) =>
      ({ type: 'subagent/child', time: 0, data: { id: childId, mode, label: childId, createdAt: 0 } }) as const,
  );
  const lease = await world.store.inner.create(header, 'somebody', [...described, ...listed]);
  await world.store.inner.handBack(header.id, lease.epoch);
  return header.id;
}

const brief = (entries: Awaited<ReturnType<World['runtime']['listDescendants']>>) =>
  entries.map(
    (entry) => `${entry.depth} ${entry.parentId} > ${entry.id}${entry.reason === undefined ? '' : ` (${entry.reason})`}`,
  );

describe('listDescendants (S6.4)', () => {
  test('it walks in pre-order, children in the order of their start, with parent, depth and whether there is more below (S6.4)', async () => {
    const world = openWorld();
    await store(world, 'root', [['a'], ['b']]);
    await store(world, 'a', [['a1'], ['a2']]);
    await store(world, 'a1', [['a11']]);
    for (const leaf of ['a11', 'a2', 'b']) await store(world, leaf);
    const entries = await world.runtime.listDescendants('root');
    expect(brief(entries)).toEqual(['1 root > a', '2 a > a1', '3 a1 > a11', '2 a > a2', '1 root > b']);
    expect(entries.map(({ hasChildren }) => hasChildren)).toEqual([true, true, false, false, false]);
    expect(await world.runtime.listDescendants('root'), 'the order is stable').toEqual(entries);
    expect(await world.runtime.listDescendants('a2')).toEqual([]);
  });

  test('external children are leaves and are not looked up; one-shot ones are walked; unknown ones are walked and marked (S6.4)', async () => {
    const world = openWorld();
    await store(world, 'root', [
      ['ext', 'external'],
      ['once', 'one-shot'],
      ['odd', 'unknown'],
      ['new', 'in a later word' as never],
    ]);
    for (const name of ['ext', 'once', 'odd', 'new']) await store(world, name, [[`below-${name}`]], undefined);
    for (const name of ['once', 'odd', 'new']) await store(world, `below-${name}`);
    world.store.forgetCalls();
    const entries = await world.runtime.listDescendants('root');
    expect(brief(entries)).toEqual([
      '1 root > ext',
      '1 root > once',
      '2 once > below-once',
      '1 root > odd (unsupported)',
      '2 odd > below-odd',
      '1 root > new (unsupported)',
      '2 new > below-new',
    ]);
    expect(entries[0]).toMatchObject({ mode: 'external', hasChildren: false });
    expect(world.store.calls.filter(({ session }) => session === 'ext')).toEqual([]);
  });

  test('a child that cannot be read shows why, and only its branch stops (S6.4, S6.5)', async () => {
    const world = openWorld();
    const names = ['gone', 'torn', 'newer', 'down', 'garbled', 'later', 'fine'];
    await store(
      world,
      'root',
      names.map((name) => [name]),
    );
    for (const name of ['torn', 'newer', 'down', 'fine']) await store(world, name, [[`below-${name}`]]);
    await store(world, 'garbled', [['below-garbled']], { version: 1, provider: 7 });
    await store(world, 'later', [['below-later']], { version: 2 });
    for (const name of ['fine', 'garbled', 'later']) await store(world, `below-${name}`);
    const faults = { torn: 'SESSION_DAMAGED', newer: 'SESSION_UNSUPPORTED', down: 'STORE_FAILED' } as const;
    for (const [session, code] of Object.entries(faults))
      world.store.inject({
        at: { method: 'children', session },
        fault: 'reject',
        error: new SubagentError(code, 'a test says so'),
      });
    expect(brief(await world.runtime.listDescendants('root'))).toEqual([
      '1 root > gone (unavailable)',
      '1 root > torn (corrupt)',
      '1 root > newer (unsupported)',
      '1 root > down (unavailable)',
      '1 root > garbled (corrupt)',
      '2 garbled > below-garbled',
      '1 root > later (unsupported)',
      '2 later > below-later',
      '1 root > fine',
      '2 fine > below-fine',
    ]);
  });

  test('repeated ids and cycles are listed once; what is in no catalog, as an ordinary fork, is left out (S6.4)', async () => {
    const world = openWorld();
    await store(world, 'root', [['a'], ['a'], ['b'], ['root']]);
    await store(world, 'a', [['b'], ['a']]);
    await store(world, 'b', [['a'], ['root']]);
    await store(world, 'fork', [['below-fork']], undefined, 'root');
    expect(brief(await world.runtime.listDescendants('root'))).toEqual(['1 root > a', '2 a > b']);
  });

  test('each session is read and let go before the next (S6.4)', async () => {
    const world = openWorld();
    await store(world, 'root', [['a'], ['b']]);
    for (const name of ['a', 'b']) await store(world, name);
    world.store.forgetCalls();
    await world.runtime.listDescendants('root');
    const sessions = world.store.calls.map(({ session }) => session);
    expect(sessions.filter((session, index) => session !== sessions[index - 1])).toEqual(['root', 'a', 'b']);
    expect(world.live).toBe(0);
  });

  test('a root that cannot be read rejects the whole as a query error: unknown, of no valid id, damaged (S6.4)', async () => {
    const world = openWorld();
    await store(world, 'root');
    const failure = (root: string) => world.runtime.listDescendants(root).catch((error: unknown) => error);
    for (const [root, code] of [
      ['nobody', 'SESSION_NOT_FOUND'],
      ['../x', 'INVALID_ARGUMENT'],
    ] as const) {
      const error = await failure(root);
      expect(error).toBeInstanceOf(SessionQueryError);
      expect(error).toMatchObject({ code });
    }
    world.store.inject({ at: { method: 'children' }, fault: 'reject', error: new SubagentError('SESSION_DAMAGED', 'torn') });
    expect(await failure('root')).toBeInstanceOf(SessionQueryError);
  });

  test.each(['root', 'a'])(
    'a cancellation rejects the whole at once, also while the store does not answer for %s (S6.4)',
    async (session) => {
      const world = openWorld();
      await store(world, 'root', [['a']]);
      await store(world, 'a');
      const failure = await world.runtime.listDescendants('root', AbortSignal.abort()).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'SubagentError', code: 'CANCELLED' });
      world.store.inject({ at: { method: 'children', session }, fault: 'hang' });
      const abort = new AbortController();
      const listing = codeOf(world.runtime.listDescendants('root', abort.signal));
      await world.store.reached({ method: 'children', session });
      abort.abort();
      expect(await listing).toBe('CANCELLED');
    },
  );

  test('what runs now is listed from the same catalogs, with a fork’s inherited entries left out (S6.4, S6.1)', async () => {
    const world = openWorld();
    const remote = scriptedProvider();
    world.runtime.registerProvider(remote);
    const root = await world.openRoot({ id: 'root' });
    world.driver.script('a', [async ({ agent }) => void (await world.start(agent, { label: 'a1', childId: id('a1') }))]);
    world.driver.script('a', [
      async ({ agent }) => void (await world.start(agent, { provider: 'fork', label: 'copy', childId: id('copy') })),
    ]);
    await (await world.start(root.agent, { label: 'a', childId: id('a') })).result;
    await world.start(root.agent, { provider: 'remote', label: 'ext' });
    expect(brief(await world.runtime.listDescendants('root'))).toEqual([
      '1 root > a',
      '2 a > a1',
      '2 a > copy',
      '1 root > remote-1',
    ]);
  });
});

describe('catalogOf (S6.6)', () => {
  test('a subscriber gets the whole catalog at once and after each change, never a part of it; a broken one hurts nobody (S6.6, P31)', async () => {
    const world = openWorld();
    world.expectFaults('listener');
    const root = await world.openRoot({ id: 'root' });
    const seen: string[] = [];
    world.runtime.catalogOf('root').subscribe(() => {
      throw new Error('a broken listener');
    });
    let isComplete = false;
    world.runtime.catalogOf('root').subscribe({
      next: (entries) => void seen.push(entries.map(({ label }) => label).join(' ')),
      complete: () => {
        isComplete = true;
      },
    });
    await world.rest();
    for (const label of ['one', 'two']) {
      await (await world.start(root.agent, { label })).result;
      await world.rest();
    }
    expect(seen).toEqual(['', 'one', 'one two']);
    await world.close();
    await world.rest();
    expect(isComplete).toBe(true);
  });

  test('of a session that cannot be read it ends with a query error (S6.6, S6.3)', async () => {
    const world = openWorld();
    const errors: unknown[] = [];
    world.runtime.catalogOf('nobody').subscribe({ error: (fault) => void errors.push(fault) });
    await world.rest();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(SessionQueryError);
  });
});
