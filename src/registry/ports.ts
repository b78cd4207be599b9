/** Connects the machines' effects to the actors. Every port is total: what throws is reported, and the machine goes on. */
import { bounded } from '../actors/bounded.ts';
import { capture, disposeResources, flush, notify, seal } from '../actors/release.ts';
import type { Residency } from '../actors/residency.ts';
import { materialize } from '../actors/supervise.ts';
import { beginTurn, stopTurn } from '../actors/turn.ts';
import type { World } from '../actors/world.ts';
import { SubagentError } from '../errors.ts';
import type { ActivationPorts } from '../machines/activation-ports.ts';

export function activationPorts(world: World): ActivationPorts {
  const on = (effect: (world: World, residency: Residency) => void) => (id: string) => {
    const residency = world.residents.get(id);
    if (residency === undefined) return;
    try {
      effect(world, residency);
    } catch (fault) {
      world.report('effect', fault);
    }
  };
  return {
    materialize: on(materialize),
    abortMaterialization: on(abortMaterialization),
    announceStarted: on((_, residency) => world.announceStarted(residency)),
    beginTurn: on(beginTurn),
    stopTurn: on(stopTurn),
    stopChildren: on((_, residency) => world.stopChildren(residency)),
    seal: on(seal),
    flush: on(flush),
    capture: on(capture),
    disposeResources: on(disposeResources),
    returnCapacity: on((_, residency) => world.returnCapacity(residency)),
    announceEnded: on((_, residency) => world.announceEnded(residency)),
    notify: on(notify),
  };
}

/** The plan sees its signal and takes back what it made; if it does not in time, the agent is released without it. */
function abortMaterialization(world: World, residency: Residency): void {
  const reason = residency.lostFault ?? new SubagentError('DRAINING', 'the agent was stopped while it was started');
  world.aborts.request(() => residency.opening.abort(residency.openingFault ?? reason));
  bounded({
    clock: world.clock,
    ms: world.limits.disposeMs,
    name: 'taking back the start',
    run: () => residency.whenReleased(),
    done: () => undefined,
    failed: () => residency.send({ type: 'release.expired' }),
  });
}
