/** Fetches items before they are requested, while other work is in progress. */

/**
 * Yields the same items in the same order, but fetches them before they are requested. At most `most` fetched items
 * wait for the caller. If fetching an item fails, the error is thrown after all earlier items.
 */
export async function* ahead<T>(source: AsyncIterable<T>, most: number): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const waiting: Promise<IteratorResult<T>>[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;

  function fetchNext(): void {
    const next = last.then(() => (isOver ? END : iterator.next()));
    last = next.then(noteEnd, noteEnd);
    waiting.push(next);
  }

  function noteEnd(result: unknown): void {
    const isMore = typeof result === 'object' && result !== null && 'done' in result;
    if (!isMore || result.done === true) isOver = true;
  }

  try {
    while (true) {
      while (waiting.length <= most && !isOver) fetchNext();
      const next = waiting.shift();
      if (next === undefined) return;
      const { done, value } = await next;
      if (done === true) return;
      yield value;
    }
  } finally {
    isOver = true;
    await last;
    await iterator.return?.();
  }
}

const END = { done: true, value: undefined } as const;

/**
 * Runs the work for each item and yields the results in the order of the items. At most `most` items are in progress at
 * the same time.
 */
export async function* together<T, Result>(
  things: AsyncIterable<T>,
  most: number,
  work: (thing: T) => Promise<Result>,
): AsyncGenerator<Result> {
  const iterator = things[Symbol.asyncIterator]();
  const underWay: Promise<Result>[] = [];
  let coming: Promise<IteratorResult<T>> | null = null;
  let isOver = false;
  try {
    while (true) {
      if (coming === null && !isOver && underWay.length < most) coming = heard(iterator.next());
      const [first] = underWay;
      if (coming === null && first === undefined) return;
      const hasResult = await Promise.race([
        ...(first === undefined ? [] : [ended(first, true)]),
        ...(coming === null ? [] : [ended(coming, false)]),
      ]);
      if (hasResult && first !== undefined) {
        underWay.shift();
        yield await first;
      } else if (coming !== null) {
        const { done, value }: IteratorResult<T> = await coming;
        coming = null;
        if (done === true) isOver = true;
        else underWay.push(heard(work(value)));
      }
    }
  } finally {
    await iterator.return?.();
    // The function waits for all requests before it tells the caller that the items have ended.
    await Promise.allSettled(underWay);
  }
}

/** Resolves with `word` when the promise has been fulfilled or rejected. */
function ended<Word>(promise: Promise<unknown>, word: Word): Promise<Word> {
  return promise.then(
    () => word,
    () => word,
  );
}

/** Prevents an unhandled rejection if nobody awaits the error. */
export function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
