/** A machine, what it describes, and the test that connects the two. */
import assert from 'node:assert/strict';
import { assign, setup } from 'xstate';
import type { PathSuiteOptions } from '../../../src/testing/index.ts';

/** What is to be tested: it knows no machine. */
export class Ledger {
  entries: string[] = [];
  isOpen = true;
  isSealed = false;
  add(entry: string): void {
    if (this.isOpen && this.entries.length < 2) this.entries.push(entry);
  }
  close(): void {
    this.isOpen = false;
  }
  reopen(): void {
    this.isOpen = true;
    this.entries = [];
  }
  seal(): void {
    if (!this.isOpen) this.isSealed = true;
  }
}

type LedgerEvent =
  | { type: 'entry.added'; text: string }
  | { type: 'ledger.closed' }
  | { type: 'ledger.reopened' }
  | { type: 'ledger.sealed' };

export const ledgerMachine = setup({
  types: { context: {} as { entries: number }, events: {} as LedgerEvent },
  guards: { hasRoom: ({ context }) => context.entries < 2 },
  actions: { count: assign({ entries: ({ context }) => context.entries + 1 }), forget: assign({ entries: 0 }) },
}).createMachine({
  id: 'ledger',
  context: { entries: 0 },
  initial: 'open',
  states: {
    open: { on: { 'entry.added': { guard: 'hasRoom', actions: 'count' }, 'ledger.closed': 'closed' } },
    closed: { on: { 'ledger.reopened': { target: 'open', actions: 'forget' }, 'ledger.sealed': 'sealed' } },
    sealed: { type: 'final' },
  },
});

export function ledgerOptions(made: Ledger[] = []): PathSuiteOptions<typeof ledgerMachine, Ledger> {
  return {
    events: [{ type: 'entry.added', text: 'rent' }],
    test: {
      arrange() {
        const ledger = new Ledger();
        made.push(ledger);
        return ledger;
      },
      events: {
        'entry.added': (ledger, { text }) => ledger.add(text),
        'ledger.closed': (ledger) => ledger.close(),
        'ledger.reopened': async (ledger) => ledger.reopen(),
        'ledger.sealed': (ledger) => ledger.seal(),
      },
      states: {
        open: (ledger) => assert.ok(ledger.isOpen),
        closed: async (ledger) => assert.equal(ledger.isOpen, false),
        '#ledger.sealed': (ledger) => assert.ok(ledger.isSealed),
        '*': (ledger, { context }) => assert.equal(ledger.entries.length, context.entries),
      },
    },
  };
}
