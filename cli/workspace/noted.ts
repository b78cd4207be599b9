/** A list that knows how many there were and keeps the first few. */
export interface Noted<Item> {
  readonly count: number;
  readonly first: readonly Item[];
}

export function noteList<Item>(max: number) {
  let count = 0;
  const first: Item[] = [];
  return {
    add(item: Item): void {
      count++;
      if (first.length < max) first.push(item);
    },
    read: (): Noted<Item> => ({ count, first }),
  };
}
