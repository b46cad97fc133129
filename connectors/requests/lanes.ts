/** Sends several write requests at the same time. */

/** An item whose work has ended, with or without success. */
interface Ended<Result> {
  work: Promise<Ended<Result>>;
  results: readonly Result[];
}

/** The items and the function that does the work for each item. */
export interface LaneOptions<Thing, Result> {
  /** The maximum number of items that are in progress at the same time. */
  lanes: number;
  work(thing: Thing): Promise<readonly Result[]>;
  /**
   * Returns true for an item that has to wait until all earlier items are finished. If the function is omitted, no item
   * has to wait.
   */
  mustWait?(thing: Thing): boolean;
}

/**
 * Runs the work for the items. If one item throws an error, no further item is started. The function waits for the work
 * in progress and yields its results before it throws the error. donor-sync writes nothing after the caller has seen
 * the end.
 */
export async function* inLanes<Thing, Result>(
  things: Iterable<Thing> | AsyncIterable<Thing>,
  { lanes, work, mustWait = () => false }: LaneOptions<Thing, Result>,
): AsyncGenerator<Result> {
  const underWay = new Set<Promise<Ended<Result>>>();
  const failures: unknown[] = [];
  try {
    for await (const thing of things) {
      const atMost = mustWait(thing) ? 0 : lanes - 1;
      while (underWay.size > atMost) yield* await next();
      if (failures.length > 0) break;
      begin(thing);
    }
    while (underWay.size > 0) yield* await next();
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];

  function begin(thing: Thing): void {
    const one: Promise<Ended<Result>> = work(thing).then(
      (results) => ({ work: one, results }),
      (error: unknown) => {
        failures.push(error);
        return { work: one, results: [] };
      },
    );
    underWay.add(one);
  }

  async function next(): Promise<readonly Result[]> {
    const ended = await Promise.race(underWay);
    underWay.delete(ended.work);
    return ended.results;
  }
}
