export type OneAtATime = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Creates a function that runs one task at a time. At most `mostWaiting` tasks can be pending, including the running
 * task. Further tasks are rejected with `refusal`.
 */
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
