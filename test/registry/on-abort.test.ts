import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { onAbort } from '../../src/registry/on-abort.ts';

describe('waiting for a signal', () => {
  it('calls everybody that waits once, and nobody that took it back', () => {
    const controller = new AbortController();
    const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
    onAbort(controller.signal, first);
    const takeBack = onAbort(controller.signal, second);
    onAbort(controller.signal, third);
    takeBack();
    controller.abort();
    takeBack();
    expect([first, second, third].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1]);
  });

  it('puts one listener on the signal however many wait, and none when nobody does', () => {
    const { signal } = new AbortController();
    const takeBacks = Array.from({ length: 100 }, () => onAbort(signal, () => undefined));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    for (const takeBack of takeBacks) takeBack();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('hears the signal for who comes after the last has gone', () => {
    const controller = new AbortController();
    onAbort(controller.signal, () => undefined)();
    const later = vi.fn();
    onAbort(controller.signal, later);
    controller.abort();
    expect(later).toHaveBeenCalledOnce();
  });
});
