/** Places: never more taken than there are, and all given back when a runtime is closed; so are timers and agents (S1.13, S4.6, R16). */
import { defaultCapacity } from '../../../agents/limits.ts';
import type { RuntimeOptions } from '../../../registry/create-runtime.ts';
import type { Checker, Simulation } from '../simulation.ts';

export function placesChecker(simulation: Simulation, { capacity }: Pick<RuntimeOptions, 'capacity'>): Checker {
  const { inAll, perRoot } = { ...defaultCapacity, ...capacity };
  return {
    stepped() {
      for (const process of simulation.live) {
        const { live } = process.registry.capacity;
        const roots = [...process.registry.residents.values()].filter((agent) => agent.parent === undefined).length;
        const bound = Math.min(inAll, perRoot * Math.max(1, roots));
        if (live > bound && live > inAll) simulation.say(`${live} activations are live where ${bound} may be (S1.13)`);
      }
    },
    closed({ name, registry }) {
      const left = [...registry.residents.keys(), ...registry.externals.keys()];
      if (left.length > 0) simulation.say(`process ${name} is closed and still has ${left.join(', ')} (S4.6)`);
      if (registry.capacity.live !== 0)
        simulation.say(`process ${name} is closed and ${registry.capacity.live} places are taken (S1.13)`);
    },
  };
}
