/** Divides long work into slices, between which other requests can run. */

/** The maximum time that all slices together make the open requests wait. */
const SLICE_MS = 8;
/** With shorter slices, most of the time would be spent on switching between them. */
const SHORTEST_SLICE_MS = 1;

/** The slices of one piece of work. */
export interface Slices {
  /** True if it is time to let others run. */
  isOver(): boolean;
  /** Lets others run. Resolves when the next slice of this work starts. */
  next(): Promise<void>;
}

/** Does work slice by slice. The work pauses wherever it may be interrupted. */
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

/** Lets at most `count` pieces of work run at the same time. The other pieces wait until a running piece has ended. */
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

/** Work that waits for a slice, in order. New requests are read between two slices. */
const waiting: (() => void)[] = [];

/** Requests that have been read but not yet answered. */
let open = 0;

/** Returns the number of open requests of all services in this process. */
export function countOpen(): number {
  return open;
}

/** Counts a request as open until it has been handled. */
export async function whileOpen(handle: () => Promise<void>): Promise<void> {
  open += 1;
  try {
    await handle();
  } finally {
    open -= 1;
  }
}

/** Returns the maximum length of a slice while this number of requests is open. */
function sliceMs(requests: number): number {
  return Math.max(SHORTEST_SLICE_MS, SLICE_MS / Math.max(1, requests));
}

/** Starts a piece of work. Its first slice ends at once, so that many pieces can start together. */
export function createSlices(now = () => performance.now(), requests = countOpen): Slices {
  let endsAt = 0;
  return {
    isOver: () => now() >= endsAt,
    async next() {
      await slice();
      endsAt = now() + sliceMs(requests());
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
  // This callback runs after the work that was just started, however long that work takes.
  setImmediate(() => {
    waiting.shift();
    if (waiting.length > 0) startNext();
  });
}
