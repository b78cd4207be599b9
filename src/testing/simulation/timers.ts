/** What is to happen at a moment to come, in order of the moments; what is due at the same one, in the order in which it was set. */
import type { Doer } from './schedule.ts';

export interface Timer {
  readonly what: string;
  readonly run: () => void;
  readonly doer?: Doer;
  readonly isBackground?: boolean;
}

interface Entry extends Timer {
  readonly due: number;
  readonly number: number;
  isOver: boolean;
}

export class Timers {
  now = 0;
  /** A binary heap, the earliest on top. */
  readonly #heap: Entry[] = [];
  #count = 0;
  #foreground = 0;

  /** How many there are that are not in the background. */
  get pending(): number {
    return this.#foreground;
  }

  add(ms: number, timer: Timer): () => void {
    const entry: Entry = { ...timer, due: this.now + Math.max(0, ms), number: this.#count++, isOver: false };
    if (entry.isBackground !== true) this.#foreground++;
    this.#push(entry);
    return () => this.#end(entry);
  }

  /** Moves time to the earliest and takes it out. One of a frozen doer waits until its doer goes on. */
  take(): Timer | undefined {
    const held: Entry[] = [];
    let found: Entry | undefined;
    for (let entry = this.#pop(); entry !== undefined; entry = this.#pop()) {
      if (entry.isOver) continue;
      if (entry.doer?.isAlive === false) this.#end(entry);
      else if (entry.doer?.isFrozen === true) held.push(entry);
      else {
        found = entry;
        break;
      }
    }
    for (const entry of held) this.#push(entry);
    if (found === undefined) return undefined;
    this.now = Math.max(this.now, found.due);
    this.#end(found);
    return found;
  }

  forgetDead(): void {
    for (const entry of this.#heap) if (entry.doer?.isAlive === false) this.#end(entry);
  }

  #end(entry: Entry): void {
    if (entry.isOver) return;
    entry.isOver = true;
    if (entry.isBackground !== true) this.#foreground--;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isEarlier(entry, heap[above] as Entry)) break;
      heap[at] = heap[above] as Entry;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let at = 0;
    while (true) {
      let below = at * 2 + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isEarlier(heap[below + 1] as Entry, heap[below] as Entry)) below++;
      if (!isEarlier(heap[below] as Entry, last)) break;
      heap[at] = heap[below] as Entry;
      at = below;
    }
    heap[at] = last;
    return top;
  }
}

function isEarlier(one: Entry, other: Entry): boolean {
  return one.due < other.due || (one.due === other.due && one.number < other.number);
}
