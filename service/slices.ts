/** Work in slices: what takes long lets other requests go on again and again. */

/** No request keeps the others waiting for longer at a time. */
const SLICE_MS = 8;

/** The slices of one piece of work. */
export interface Slices {
  /** Whether it is time to let others go on. */
  isOver(): boolean;
  /** Lets others go on; resolves when this work has its next slice. */
  next(): Promise<void>;
}

/** Does work that stops where it may be interrupted, slice by slice. */
export async function inSlices<T>(work: Generator<void, T>, slices: Slices): Promise<T> {
  for (;;) {
    if (slices.isOver()) await slices.next();
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Does the same work in one piece. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Lets so many pieces of work go on at the same time, the others after them. */
export function createTurns(count: number) {
  let free = count;
  const queue: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** Those that wait for a slice, in their order. Between two slices new requests are read. */
const waiting: (() => void)[] = [];

/** Starts a piece of work; its first slice is over at once, so that many can begin together. */
export function createSlices(): Slices {
  let endsAt = 0;
  return {
    isOver: () => performance.now() >= endsAt,
    async next() {
      await slice();
      endsAt = performance.now() + SLICE_MS;
    },
  };
}

function slice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(startNext);
  });
}

function startNext(): void {
  const start = waiting[0];
  start?.();
  // What follows runs behind the work that was just started, however long that takes.
  setImmediate(() => {
    waiting.shift();
    if (waiting.length > 0) startNext();
  });
}
