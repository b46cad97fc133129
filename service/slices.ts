/** Divides long work into slices, between which other requests can run. */

/** The maximum time that open requests wait because of all slices together. */
const SLICE_MS = 8;
/** With shorter slices, most of the time would be spent on switching between them. */
const SHORTEST_SLICE_MS = 1;

/** The slices of one piece of work. */
export interface Slices {
  isOver(): boolean;
  /** Lets others run. Resolves when the next slice of this work starts. */
  next(): Promise<void>;
}

/** The work pauses at each point where it may be interrupted. */
export async function inSlices<T>(work: Generator<void, T>, slices: Slices): Promise<T> {
  for (;;) {
    if (slices.isOver()) await slices.next();
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Does the same work without pauses. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Limits concurrent work to `count` pieces. The other pieces wait until a running piece has ended. */
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

/** The work that is waiting for a slice. The first entry runs next. New requests are read between two slices. */
const waiting: (() => void)[] = [];

/** Requests that have been read but have no response yet. */
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
  // This callback runs after the work that has just started, however long that work takes.
  setImmediate(() => {
    waiting.shift();
    if (waiting.length > 0) startNext();
  });
}
