/** Divides long work into slices. Other requests can run between two slices. */

/** The maximum time (ms) for which the slices of all work together delay open requests. */
const SLICE_MS = 8;
/** The minimum length of a slice (ms). With shorter slices, switching between them would take most of the time. */
const SHORTEST_SLICE_MS = 1;

/** The slices of one piece of work. */
export interface Slices {
  isOver(): boolean;
  /** Lets other requests run. The promise resolves when the next slice of this work starts. */
  next(): Promise<void>;
}

/** Runs the work in slices. The work pauses when it yields after the end of a slice. */
export async function inSlices<T>(work: Generator<void, T>, slices: Slices): Promise<T> {
  for (;;) {
    if (slices.isOver()) await slices.next();
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the same work without pauses. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Limits the number of tasks that run at the same time to `count`. Further tasks wait until a running task has ended.
 */
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

/** The tasks that wait for their next slice. The first entry runs next. New requests are read between two slices. */
const waiting: (() => void)[] = [];

/** The number of requests that have been read but not answered yet. */
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

/** Returns the maximum length (ms) of a slice while this number of requests is open. */
function sliceMs(requests: number): number {
  return Math.max(SHORTEST_SLICE_MS, SLICE_MS / Math.max(1, requests));
}

/** Starts a new task. The first slice ends immediately, so that many tasks can start together. */
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
  // This callback runs after the task that has just started, even if that task takes long.
  setImmediate(() => {
    waiting.shift();
    if (waiting.length > 0) startNext();
  });
}
