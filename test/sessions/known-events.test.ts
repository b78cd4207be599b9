import { expect, it, vi } from 'vitest';
import { systemClock } from '../../src/ports/clock.ts';
import type { SessionHeader } from '../../src/sessions/event.ts';
import { toSessionId } from '../../src/sessions/ids.ts';
import { Session } from '../../src/sessions/session.ts';
import { memoryStore } from '../../src/sessions/stores/memory.ts';

const header: SessionHeader = {
  version: 1,
  id: toSessionId('known'),
  createdAt: 0,
  cwd: '/project',
  project: '/project',
  delegationDepth: 0,
  isSeeded: false,
  inheritedEvents: 0,
};
const event = (turnId: string) => ({ type: 'turn/started', time: 0, data: { turnId, epoch: 1 } }) as const;

it('reads of a log only what it does not know already, and knows all of it then', async () => {
  const store = memoryStore();
  await store.create(header, 'owner', [event('a'), event('b')]);
  const known = await store.read(header.id);
  await store.append(header.id, { seq: 2, epoch: 1 }, [event('c')]);
  const lease = await store.claim(header.id, 'owner');
  const read = vi.spyOn(store, 'read');
  const session = new Session({ store, clock: systemClock, appendMs: 1_000, header, lease, onLost: () => undefined });
  session.know(known);
  const events = await session.events();
  expect(read.mock.calls).toEqual([[header.id, 2]]);
  expect(events).toEqual(await store.read(header.id));
  expect(known).toHaveLength(2);
});
