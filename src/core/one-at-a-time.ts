/** Runs work given to it, one piece after the other, in the order in which it came. */
export type OneAtATime = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** `mostWaiting` pieces may be there at once, with the one that is being done; others are refused with `refusal`. */
export function createOneAtATime(mostWaiting: number, refusal: () => Error): OneAtATime {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    if (waiting >= mostWaiting) throw refusal();
    waiting += 1;
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine.finally(() => {
      waiting -= 1;
    });
  };
}
