/** The names of edges and states. */
import { expect, test } from 'vitest';
import { and, assign, createMachine, log, not, or, raise, stateIn } from 'xstate';
import { activationMachine, createActivationMachine, noActivationPorts } from '../../../src/machines/index.ts';
import { edgeNames, stateNames } from '../../../src/testing/index.ts';

const hasRoom = () => true;

const machine = createMachine({
  id: 'shop',
  initial: 'cart',
  on: { 'shop.closed': { actions: log('bye') } },
  states: {
    cart: {
      initial: 'empty',
      states: {
        empty: {
          on: {
            'item.added': { guard: 'isInStock', target: 'full', actions: ['count', { type: 'tell', params: { loud: true } }] },
          },
        },
        full: {
          id: 'full',
          on: {
            'item.added': [
              { guard: and(['isInStock', not(hasRoom)]), actions: assign({}) },
              { guard: or([stateIn('cart.full'), { type: 'isOwner' }]), actions: [raise({ type: 'x' }), () => undefined] },
              { guard: () => false },
              { guard: () => true },
            ],
            'cart.emptied': undefined,
          },
          always: { guard: 'isOver', target: '#paid' },
          after: { 1000: 'empty' },
        },
        last: { type: 'history' },
      },
      onDone: '#paid',
    },
    paid: { id: 'paid', type: 'final' },
  },
});

test('an edge is named by source, event, guard, actions and target, and by a number where these are equal', () => {
  expect(edgeNames(machine)).toEqual([
    'shop: shop.closed / log -> (stays)',
    'cart: xstate.done.state.shop.cart -> paid',
    'cart.empty: item.added [isInStock] / count, tell -> cart.full',
    'cart.full: item.added [and(isInStock, not(hasRoom))] / assign -> (stays)',
    'cart.full: item.added [or(stateIn(cart.full), isOwner)] / raise, inline -> (stays)',
    'cart.full: item.added [inline] -> (stays)',
    'cart.full: item.added [inline] -> (stays) #2',
    'cart.full: cart.emptied -> (stays)',
    'cart.full: xstate.after.1000.full -> cart.empty',
    'cart.full: always [isOver] -> paid',
  ]);
});

test('a state is named by its path; the root and history states cannot be entered', () => {
  expect(stateNames(machine)).toEqual(['cart', 'cart.empty', 'cart.full', 'paid']);
});

test('names are unique, and the same for every machine made by one function', () => {
  const edges = edgeNames(activationMachine);
  expect(new Set(edges).size).toBe(edges.length);
  expect(edgeNames(createActivationMachine(noActivationPorts))).toEqual(edges);
  expect(edgeNames(machine.provide({ guards: { isOver: () => true } }))).toEqual(edgeNames(machine));
});
