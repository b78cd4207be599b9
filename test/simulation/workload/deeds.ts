/** What people and programs outside do to the agents of a host, one deed at a time, mostly without waiting for its end. */
import type { Residency } from '../../../src/actors/residency.ts';
import type { Agent } from '../../../src/agents/agent.ts';
import type { SubagentActivation } from '../../../src/providers/contract.ts';
import { findResident } from '../../../src/registry/registry.ts';
import type { Random } from '../../../src/testing/simulation/random.ts';
import type { OpenHost } from './open-host.ts';
import { askAgain, askChild, changeQueue } from './person.ts';
import { trespass } from './trespass.ts';

/** A subtree has ended by then: its own bound, and the last steps of the release of each of its levels. */
const stopBoundMs = 200_000;
const unbounded = Number.POSITIVE_INFINITY;

type Deed = (deeds: Deeds) => void;

export class Deeds {
  readonly #open: OpenHost;
  #random: Random;

  constructor(open: OpenHost) {
    this.#open = open;
    this.#random = open.host.random;
  }

  doOne(random: Random): void {
    this.#random = random;
    random.pick(deeds)(this);
  }

  async pause(): Promise<void> {
    const { host } = this.#open;
    const choice = this.#random.next();
    if (choice < 0.3) return;
    if (choice < 0.8) for (let left = 1 + this.#random.below(12); left > 0; left--) await host.pause();
    else await host.pause(this.#random.next() * 8_000);
  }

  start(): void {
    const { agent } = this.#anyAgent();
    const { runtime } = this.#open.host;
    const { ledger, process, handles } = this.#open;
    const sent = ledger.note(process, 'start', agent.id);
    const abort = new AbortController();
    const isDisposed = this.#random.chance(0.15);
    const isCut = ledger.cut.has(agent);
    const starting = runtime.startActivation({
      provider: this.#random.pick(['spawn', 'spawn', 'fork', 'remote']),
      label: `task ${sent.mark}`,
      delivery: this.#random.chance(0.6) ? 'parent' : 'caller',
      signal: abort.signal,
      request: {
        parent: agent,
        prompt: [{ type: 'text', text: sent.mark }],
      },
    });
    sent.isCancelled = this.#random.chance(0.1);
    if (sent.isCancelled) abort.abort();
    this.#operate('start', 60_000, async () => {
      const id = await ledger.follow(
        sent,
        starting.then((child) => {
          sent.to = child.childId;
          ledger.notCut(isCut, agent);
          handles.push(child);
          child.result.then(
            ({ stopReason }) => process.isAlive && this.#open.status.result(process, child.childId, stopReason),
            (error: unknown) => ledger.expect(error, 'result'),
          );
          if (isDisposed) this.#disposeOf(child);
          return child.messageId;
        }),
      );
      return id;
    });
  }

  send(): void {
    const { process, ledger, host, root } = this.#open;
    const target = this.#anyId();
    const isOwn = this.#random.chance(0.8);
    const sender = isOwn ? root.agent : this.#anyAgent().agent;
    const sent = ledger.note(process, 'message', sender.id, target);
    void ledger.follow(sent, host.runtime.sendMessage(sender, target, [{ type: 'text', text: sent.mark }]));
    if (this.#random.chance(0.3)) askChild(this.#open, this.#random, target);
  }

  person(): void {
    askChild(this.#open, this.#random, this.#anyId());
  }

  prompt(): void {
    const { process, ledger, root } = this.#open;
    const sent = ledger.note(process, 'prompt', 'host', root.id);
    void ledger.follow(sent, root.prompt(sent.mark));
  }

  inject(): void {
    const { process, ledger, root } = this.#open;
    const sent = ledger.note(process, 'context', 'host', root.id);
    void ledger.follow(sent, root.inject(sent.mark));
  }

  editQueue(): void {
    changeQueue(this.#open, this.#random);
  }

  interrupt(): void {
    const { host, root } = this.#open;
    const id = this.#anyId();
    this.#open.scope.stop(this.#open.process, id, 'turn');
    this.#operate('interrupt', 0, async () => host.runtime.interrupt(id, { kind: 'ancestor', agent: root.agent }));
  }

  drain(): void {
    const { host, root, scope, process, ledger } = this.#open;
    const { agent } = this.#anyAgent();
    if (this.#random.chance(0.6) || agent.id === root.id) {
      const id = this.#anyId();
      if (findResident(process.registry, id)?.parent?.agent === root.agent) scope.stop(process, id, 'whole');
      this.#operate('drainChildren', stopBoundMs, () => host.runtime.drainChildren(root.agent, [id]));
    } else {
      const resident = findResident(process.registry, agent.id);
      for (const child of resident?.children ?? []) scope.stop(process, child.childId, 'whole');
      this.#operate('drainDescendants', stopBoundMs, () => host.runtime.drainDescendants([agent]));
      if (resident?.agent === agent) ledger.cut.add(agent);
    }
  }

  dispose(): void {
    const { handles } = this.#open;
    if (handles.length === 0) return;
    this.#disposeOf(this.#random.pick(handles));
  }

  /** A handle stops the activation that it was given for: the first of its id. */
  #disposeOf(handle: SubagentActivation): void {
    const { scope, status, process, ledger } = this.#open;
    ledger.disposed.add(handle.childId);
    if (!status.hasEnded(process, handle.childId)) scope.stop(process, handle.childId, 'whole');
    this.#operate('dispose', stopBoundMs, () => handle.dispose());
  }

  look(): void {
    const { host, root } = this.#open;
    const look = this.#random.pick([
      () => host.runtime.listChildren(root.id),
      () => host.runtime.listDescendants(root.id),
      () => host.runtime.readResult(this.#anyId()),
    ]);
    this.#operate('look', unbounded, look);
  }

  wait(): void {
    const { host, root } = this.#open;
    const abort = new AbortController();
    host.clock.schedule(this.#random.next() * 10_000, () => abort.abort());
    this.#operate('waitForChildren', unbounded, () => host.runtime.waitForChildren(root.agent, abort.signal));
  }

  recover(): void {
    this.#operate('recover', unbounded, () => this.#open.host.runtime.recover());
  }

  reopen(): void {
    const open = this.#open;
    open.scope.stop(open.process, open.root.id, 'whole');
    this.#operate('close', stopBoundMs, () => open.root.close());
    this.#operateOften('reopen', async () => {
      open.root = await open.openRoot();
    });
  }

  trespass(): void {
    trespass(this.#open, this.#random);
  }

  askAgain(): void {
    askAgain(this.#open, this.#random);
  }

  /** The other host's agent: theirs while they live. */
  contest(): void {
    const { host, simulation, process, ledger } = this.#open;
    if (!simulation.faults.has('second-host')) return;
    const id = host.name === 'a' ? 'root-b' : 'root-a';
    this.#operateOften('contest', async () => {
      const { driver } = this.#open;
      const taken = await host.runtime.openAgent({ id, label: id, cwd: '/project', composition: { driver } });
      await ledger.operate({ name: 'recover', process, since: 0, boundMs: unbounded }, () => host.runtime.recover());
      await host.pause(this.#random.next() * 20_000);
      this.#open.scope.stop(process, id, 'whole');
      await taken.close();
    });
  }

  /** Often one that lives. */
  #anyId(): string {
    const live = this.#live();
    if (live.length > 0 && this.#random.chance(0.5)) return this.#random.pick(live).childId;
    const ids = [...this.#open.driver.agents.keys()].filter((id) => id !== this.#open.root.id);
    const remote = this.#open.handles.map(({ childId }) => childId);
    return ids.length + remote.length === 0 ? 'nobody' : this.#random.pick([...ids, ...remote]);
  }

  #anyAgent(): { readonly agent: Agent } {
    const { driver, root } = this.#open;
    const live = this.#live().filter(({ kind }) => kind === 'local');
    if (live.length > 0 && this.#random.chance(0.4)) return this.#random.pick(live);
    const agents = [...driver.agents.values()];
    return this.#random.chance(0.4) || agents.length === 0 ? root : this.#random.pick(agents);
  }

  #live(): readonly Residency[] {
    return [...this.#open.process.registry.residents.values()].filter(({ parent, isOpened }) => parent !== undefined && isOpened);
  }

  /** More than one call, with pauses between them. */
  #operateOften(name: string, work: () => Promise<unknown>): void {
    const { ledger, process, simulation } = this.#open;
    void ledger.operate({ name, process, since: simulation.schedule.now, boundMs: unbounded, isCompound: true }, work);
  }

  #operate(name: string, boundMs: number, work: () => Promise<unknown>): void {
    const { ledger, process, simulation } = this.#open;
    void ledger.operate({ name, process, since: simulation.schedule.now, boundMs }, work);
  }
}

/** How often each comes, of all. */
const weights: readonly (readonly [number, Deed])[] = [
  [22, (it) => it.start()],
  [18, (it) => it.send()],
  [10, (it) => it.person()],
  [12, (it) => it.prompt()],
  [4, (it) => it.inject()],
  [6, (it) => it.editQueue()],
  [7, (it) => it.interrupt()],
  [5, (it) => it.drain()],
  [5, (it) => it.dispose()],
  [3, (it) => it.look()],
  [2, (it) => it.wait()],
  [2, (it) => it.recover()],
  [1, (it) => it.reopen()],
  [4, (it) => it.contest()],
  [8, (it) => it.trespass()],
  [3, (it) => it.askAgain()],
];
const deeds: readonly Deed[] = weights.flatMap(([weight, deed]) => Array.from({ length: weight }, () => deed));
