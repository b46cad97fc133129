/** Write requests, several at a time. */

/** An item of work that has ended, whether or not it was successful. */
interface Ended<Result> {
  work: Promise<Ended<Result>>;
  results: readonly Result[];
}

/** Does the work for each item. */
export interface LaneOptions<Thing, Result> {
  /** The maximum number of items in progress at a time. */
  lanes: number;
  work(thing: Thing): Promise<readonly Result[]>;
  /**
   * Returns true for an item that has to wait until all earlier items are finished. If omitted, no item has to wait.
   */
  mustWait?(thing: Thing): boolean;
}

/**
 * If one fails as a whole, no other item is started. Work in progress is awaited and its results are reported before
 * the error is thrown. So nothing is written after the caller has seen the end.
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
