/** The paths of the attachment and the runtime, walked with live ones. */
import { describe, expect, test } from 'vitest';
import type { EventObject } from 'xstate';
import { attachmentMachine, runtimeMachine } from '../../../src/machines/index.ts';
import { nextStep } from '../../../src/testing/graph/step.ts';
import { edgeNames } from '../../../src/testing/index.ts';
import { noteFigure } from '../../support/figures.ts';
import { groupKeys } from '../checks.ts';
import { namePath, statePaths, walk } from '../paths.ts';
import { attachmentModel, runtimeModel } from '../small-models.ts';
import { attachmentDirect, runtimeDirect } from './direct.ts';
import { attachmentGroup, liveGroupModel, performGroup, runtimeGroup } from './groups.ts';
import { judge } from './judge.ts';

describe.each([
  {
    name: 'attachment',
    open: attachmentGroup,
    model: liveGroupModel(attachmentModel(attachmentMachine, 1)),
    direct: attachmentDirect,
  },
  { name: 'runtime', open: runtimeGroup, model: liveGroupModel(runtimeModel(runtimeMachine, 1)), direct: runtimeDirect },
])('a live $name', ({ name, open, model, direct }) => {
  const reached = statePaths(model, groupKeys(model));
  const taken = new Set<string>();

  test('goes the way of the machine on every path, and leaves a clean world (S4.3, S4.6)', async () => {
    const paths = reached
      .filter(({ snapshot }) => snapshot.status === 'active')
      .flatMap(({ snapshot, world, events }) => model.options(snapshot, world).map((event) => [...events, event]))
      .map((events) => completed(events, open().follows));
    for (const events of paths) {
      const done = await performGroup(open(), model, events);
      for (const edge of done.taken) taken.add(edge);
      expect(await judge(done.stage), namePath(events)).toBeUndefined();
    }
    noteFigure('livePaths', paths.length);
    console.log(`live ${name}: ${reached.length} states, ${paths.length} paths walked`);
  });

  test.each(Object.entries(direct))('sent to it itself: %s, since %s', async (edge) => {
    const event = { type: (/: (\S+)/.exec(edge) ?? [])[1] ?? '' };
    const from = reached.find(({ snapshot, events }) => {
      const isResting = completed(events, open().follows).length === events.length;
      return isResting && snapshot.status === 'active' && nextStep(model.machine, snapshot, event).edges.includes(edge);
    });
    if (from === undefined) throw new Error('no reachable state takes it');
    const done = await performGroup(open(), model, from.events, [event]);
    expect([...done.taken]).toContain(edge);
  });

  test('has every edge taken live, by the world where it can', () => {
    const names = edgeNames(model.machine);
    const missed = names.filter((edge) => !taken.has(edge));
    console.log(`live ${name}: ${names.length} edges, ${names.length - missed.length} by the world, ${missed.length} directly`);
    expect(missed.toSorted()).toEqual(Object.keys(direct).toSorted());
    noteFigure('edges', names.length);
    noteFigure('edgesTaken', names.length); // the rest are those of the tests above
  });

  /** With what comes by itself after it. */
  function completed(events: readonly EventObject[], follows: ReturnType<typeof open>['follows']): readonly EventObject[] {
    let { snapshot, world } = walk(model, events);
    const all = [...events];
    for (;;) {
      const next = model.options(snapshot, world).find((event) => event.type === 'resources.closed' && follows(event, all));
      if (next === undefined) return all;
      all.push(next);
      ({ snapshot, world } = walk(model, all));
    }
  }
});
