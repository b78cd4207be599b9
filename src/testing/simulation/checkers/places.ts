/** Places and levels: never more than there are; and all is given back when a runtime is closed, agents too (S1.12, S1.13, S4.6). */
import { defaultCapacity, defaultLimits } from '../../../agents/limits.ts';
import type { RuntimeOptions } from '../../../registry/create-runtime.ts';
import type { Checker, Simulation } from '../simulation.ts';

export function placesChecker(
  simulation: Simulation,
  { capacity, limits }: Pick<RuntimeOptions, 'capacity' | 'limits'>,
): Checker {
  const { inAll, perRoot } = { ...defaultCapacity, ...capacity };
  const { depthMax } = { ...defaultLimits, ...limits };
  return {
    stored(call, error) {
      if (error !== undefined || call.method !== 'create') return;
      const { id, delegationDepth: depth } = call.header;
      const own = call.events.flatMap((event) => (event.type === 'subagent/descriptor' ? [event.data.maxDepth] : []));
      const deepest = own.at(-1) ?? depthMax;
      if (depth > deepest) simulation.say(`${id} was started at depth ${depth}, and ${deepest} is the deepest (S1.12)`);
    },
    stepped() {
      for (const process of simulation.live) {
        const { live } = process.registry.capacity;
        const roots = [...process.registry.residents.values()].filter((agent) => agent.parent === undefined).length;
        const bound = Math.min(inAll, perRoot * Math.max(1, roots));
        if (live > bound) simulation.say(`${live} activations are live where ${bound} may be (S1.13)`);
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
