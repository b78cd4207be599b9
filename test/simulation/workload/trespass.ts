/**
 * What nobody may do: acting through an agent that has left, writing to a stranger, stopping one who is not below. Each must be
 * refused, whatever else is going on (S3.1, S4.1, S4.4, S1 of the security goals).
 */
import type { Agent } from '../../../src/agents/agent.ts';
import { findResident } from '../../../src/registry/registry.ts';
import type { Random } from '../../../src/testing/simulation/random.ts';
import type { OpenHost } from './open-host.ts';

type Trespass = (open: OpenHost, who: Agent, target: string) => Promise<unknown> | undefined;

/** Does one of them, if there is somebody to do it and somebody to do it to. */
export function trespass(open: OpenHost, random: Random): void {
  const { driver, root, ledger, process } = open;
  const stale = driver.everyone.filter((agent) => !isLive(open, agent));
  const live = driver.everyone.filter((agent) => isLive(open, agent));
  const isStale = stale.length > 0 && random.chance(0.5);
  const among = isStale ? stale : live;
  if (among.length === 0) return;
  const who = random.pick(among);
  const target = random.pick([...driver.agents.keys(), root.id]);
  const [name, deed] = random.pick(isStale ? withStale : withLive);
  const doing = deed(open, who, target);
  if (doing === undefined) return;
  doing.then(
    () => {
      const whoever = isStale ? `${who.id}, which has left,` : who.id;
      if (process.isAlive) ledger.surprises.push(`${whoever} could ${name.replace('%s', target)} (S3.1, S4)`);
    },
    (error: unknown) => ledger.expect(error, name),
  );
}

const attempt = async (deed: () => unknown) => deed();

function write({ ledger, process, host }: OpenHost, who: Agent, target: string): Promise<unknown> {
  const sent = ledger.note(process, 'message', who.id, target);
  const sending = host.runtime.sendMessage(who, target, [{ type: 'text', text: sent.mark }]);
  void ledger.follow(sent, sending);
  return sending;
}

function start({ ledger, process, host }: OpenHost, who: Agent): Promise<unknown> {
  const sent = ledger.note(process, 'start', who.id);
  const starting = host.runtime.startActivation({
    provider: 'spawn',
    label: `task ${sent.mark}`,
    delivery: 'parent',
    signal: new AbortController().signal,
    request: { parent: who, prompt: [{ type: 'text', text: sent.mark }] },
  });
  void ledger.follow(
    sent,
    starting.then(({ messageId }) => messageId),
  );
  return starting;
}

const withStale: readonly (readonly [string, Trespass])[] = [
  ['write to %s', write],
  ['start a child', start],
  ['interrupt %s', ({ host }, who, target) => attempt(() => host.runtime.interrupt(target, { kind: 'ancestor', agent: who }))],
  ['drain %s', ({ host }, who, target) => host.runtime.drainChildren(who, [target])],
  ['drain all below it', ({ host }, who) => host.runtime.drainDescendants([who])],
  ['wait for all below it', ({ host }, who) => host.runtime.waitForChildren(who)],
];

/** Each only where it is forbidden: who is what to whom is known from the headers of the sessions. */
const withLive: readonly (readonly [string, Trespass])[] = [
  ['write to %s', (open, who, target) => (isKin(open, who.id, target) ? undefined : write(open, who, target))],
  [
    'interrupt %s',
    (open, who, target) =>
      isBelow(open, target, who.id) || !isResident(open, target)
        ? undefined
        : attempt(() => open.host.runtime.interrupt(target, { kind: 'ancestor', agent: who })),
  ],
  [
    'interrupt %s for a person',
    (open, who, target) =>
      parentOf(open, target) === who.id || !isResident(open, target)
        ? undefined
        : attempt(() => open.host.runtime.interrupt(target, { kind: 'user', parentSessionId: who.id })),
  ],
  [
    'drain %s',
    (open, who, target) =>
      parentOf(open, target) === who.id || !isResident(open, target) ? undefined : open.host.runtime.drainChildren(who, [target]),
  ],
];

function isLive({ process }: OpenHost, agent: Agent): boolean {
  return process.registry.residents.get(agent.id)?.agent === agent;
}

function isResident({ process }: OpenHost, id: string): boolean {
  return findResident(process.registry, id) !== undefined;
}

function parentOf({ ledger }: OpenHost, id: string): string | undefined {
  return ledger.parents.get(id);
}

function isKin(open: OpenHost, one: string, other: string): boolean {
  return parentOf(open, one) === other || parentOf(open, other) === one;
}

function isBelow(open: OpenHost, id: string, ancestor: string): boolean {
  for (let above = parentOf(open, id); above !== undefined; above = parentOf(open, above)) if (above === ancestor) return true;
  return false;
}
