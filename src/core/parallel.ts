import { setImmediate } from 'node:timers/promises';

/**
 * Does asynchronous work on items, several at a time. The results have the order of the items. After a failure, no
 * further item starts. Throws only after all items in progress have ended, so that nothing continues in the background.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Map<number, R>();
  let next = 0;
  async function worker(): Promise<void> {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results.set(index, await work(item));
    }
  }
  const workers = Array.from({ length: Math.min(atOnce, items.length) }, () =>
    worker().catch((error: unknown) => {
      next = items.length;
      throw error;
    }),
  );
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return items.flatMap((_, index) => {
    const result = results.get(index);
    return result === undefined ? [] : [result];
  });
}

/** Returns the items in batches of at most `size`. */
export function splitIntoBatches<T>(items: readonly T[], size: number): T[][] {
  const portions: T[][] = [];
  for (let start = 0; start < items.length; start += size) {
    portions.push(items.slice(start, start + size));
  }
  return portions;
}

/** Does synchronous work in batches of `size` items. Timers and sockets are handled between two steps. */
export async function inSteps<T, R>(
  items: readonly T[],
  size: number,
  work: (item: T) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const batch of splitIntoBatches(items, size)) {
    if (results.length > 0) await setImmediate();
    for (const item of batch) results.push(work(item));
  }
  return results;
}

/** Runs asynchronous work in the order of the calls. */
export interface Mutex {
  take<T>(work: () => Promise<T>): Promise<T>;
}

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(work) {
      const turn = last.then(work, work);
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
