/** What holds always holds after every single write, wherever a crash may come (R8, S10.1). */
import { expect, test } from 'vitest';
import type { SessionEvent, SessionHeader } from '../../../src/sessions/event.ts';
import { describeProblem } from '../../../src/testing/trace/check.ts';
import { traceProblems } from '../../../src/testing/trace/problems.ts';
import { recordLife } from './random-life.ts';

const lives = Number(process.env.TROUPE_LIVES ?? 25);

test(`no moment of ${lives} random lives breaks a rule, and at their end all is at rest`, async () => {
  let moments = 0;
  for (let seed = 1; seed <= lives; seed++) {
    const { writes, sessions } = await recordLife(seed);
    const logs = new Map<string, { header: SessionHeader; events: SessionEvent[] }>();
    for (const [place, { header, events }] of writes.entries()) {
      const log = logs.get(header.id) ?? { header, events: [] };
      logs.set(header.id, log);
      for (const event of events) log.events.push({ ...event, seq: log.events.length } as SessionEvent);
      moments++;
      expect(traceProblems([...logs.values()]).map(describeProblem), `life ${seed}, write ${place}`).toEqual([]);
    }
    expect([...logs.values()]).toEqual(Object.values(sessions));
    expect(traceProblems(Object.values(sessions), { expects: 'settled' }).map(describeProblem), `life ${seed}`).toEqual([]);
  }
  expect(moments).toBeGreaterThan(lives * 10);
}, 120_000);
