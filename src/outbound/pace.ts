import type { Clock } from '../core/clock.ts';

/** Monotonic, so clock changes do not matter. */
export interface PacePolicy<Limit> {
  /** 0 or less means now. Depends on the requests so far. */
  waitMs(nowMs: number): number;
  /** Records that a request is sent. Call the returned function once the request is over. */
  depart(nowMs: number): (nowMs: number) => void;
  /** Nothing is sent before `untilMs`. */
  pause(untilMs: number, nowMs: number): void;
  /** Sets another limit. */
  keep(limit: Limit, nowMs: number): void;
  /** Called before each departure from a shared limit. If it rejects, the waiting requests reject too. */
  prepare?: ((waiting: number) => Promise<void>) | undefined;
}

/** One limit at the service or the CRM. */
export interface Pace<Lane extends string, Limit> {
  /**
   * Resolves when the lane may send. Lanes take turns. Call the returned function when the request is over. After an
   * abort, rejects with the signal's reason, and the request does not count.
   */
  take(lane: Lane, signal?: AbortSignal): Promise<() => void>;
  pause(ms: number): void;
  keep(limit: Limit): void;
}

export interface PaceOptions<Lane extends string, Limit> {
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  lanes: readonly Lane[];
  policy: PacePolicy<Limit>;
}

/** A request that waits for its turn. */
interface Waiter {
  go(end: () => void): void;
  fail(reason: unknown): void;
}

/** Follows a policy. Lanes share fairly. */
export function createPace<Lane extends string, Limit>({
  clock,
  lanes,
  policy,
}: PaceOptions<Lane, Limit>): Pace<Lane, Limit> {
  const queues = lanes.map(() => new Set<Waiter>());
  let next = 0;
  let isServing = false;
  let nap = new AbortController();

  return {
    take(lane, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const queue = queues[lanes.indexOf(lane)];
        const waiter: Waiter = {
          go(end) {
            signal?.removeEventListener('abort', leave);
            resolve(end);
          },
          fail(reason) {
            queue?.delete(waiter);
            signal?.removeEventListener('abort', leave);
            reject(reason);
          },
        };
        function leave(): void {
          waiter.fail(signal?.reason);
          // Without waiting requests, the pause would only keep the process alive.
          if (!isAwaited()) nap.abort();
        }
        signal?.addEventListener('abort', leave, { once: true });
        queue?.add(waiter);
        if (!isServing) void serve();
      });
    },
    pause(ms) {
      const nowMs = clock.monotonicMs();
      policy.pause(nowMs + ms, nowMs);
    },
    keep(limit) {
      policy.keep(limit, clock.monotonicMs());
    },
  };

  async function serve(): Promise<void> {
    isServing = true;
    while (isAwaited()) {
      if (policy.prepare) {
        await policy.prepare(queues.reduce((sum, { size }) => sum + size, 0)).catch(failAll);
        if (!isAwaited()) break;
      }
      const nowMs = clock.monotonicMs();
      const waitMs = policy.waitMs(nowMs);
      if (waitMs > 0) {
        nap = new AbortController();
        await clock.sleep(Math.ceil(waitMs), nap.signal);
      } else {
        const arrive = policy.depart(nowMs);
        nextWaiter()?.go(() => arrive(clock.monotonicMs()));
      }
    }
    isServing = false;
  }

  function failAll(reason: unknown): void {
    for (const queue of queues) for (const waiter of [...queue]) waiter.fail(reason);
  }

  function isAwaited(): boolean {
    return queues.some((queue) => queue.size > 0);
  }

  function nextWaiter(): Waiter | undefined {
    for (let step = 0; step < queues.length; step++) {
      const queue = queues[next];
      next = (next + 1) % queues.length;
      const [waiter] = queue ?? [];
      if (waiter) {
        queue?.delete(waiter);
        return waiter;
      }
    }
    return undefined;
  }
}

/** Created on first use. */
export interface PaceRegistry<One> {
  /** `key` names a count of requests. It may be a keyed hash, but never a secret. */
  for(key: string): One;
}

export function createPaceRegistry<One>(make: (key: string) => One): PaceRegistry<One> {
  const paces = new Map<string, One>();
  return {
    for(key) {
      const pace = paces.get(key) ?? make(key);
      paces.set(key, pace);
      return pace;
    },
  };
}

/** Requests per second (null or 0 for no limit), and the burst. */
export interface BucketLimit {
  ratePerSecond: number | null;
  burst: number;
  /** A reserve for late requests. The service would accept them. Defaults to none. */
  spare?: number;
}

/** At least this many may be sent together. Otherwise, a late timer would reduce the rate forever. */
const LEAST_AT_ONCE = 2;

/**
 * Allows a rate and a burst. Starts to fill at `startMs`. A token is taken at an unknown time between departure and
 * response. A full bucket gains nothing. So requests in flight belong to the burst. Otherwise, late requests could
 * exceed it.
 *
 * Even at worst, one request in about 10,000 half-minutes is rejected (test/partner). That costs one pause. Preventing
 * it would slow down every run.
 */
export function tokenBucket(limit: BucketLimit, startMs: number): PacePolicy<BucketLimit> {
  let { burst, spare = 0 } = limit;
  let tokensPerMs = perMs(limit.ratePerSecond);
  // Not full, because an earlier process may have emptied the service's bucket.
  let tokens = Math.max(1, Math.floor(burst / 2));
  let filledUntilMs = startMs;
  let underWay = 0;

  return {
    waitMs(nowMs) {
      const pausedMs = Math.max(0, refill(nowMs) - nowMs);
      return pausedMs + Math.max(0, (1 - tokens) / tokensPerMs);
    },
    depart() {
      tokens -= 1;
      underWay += 1;
      return (nowMs) => {
        refill(nowMs);
        underWay -= 1;
      };
    },
    pause(untilMs, nowMs) {
      // The service has just reported an empty bucket.
      filledUntilMs = Math.max(refill(nowMs), untilMs);
      tokens = Math.min(tokens, 0);
    },
    keep(other, nowMs) {
      refill(nowMs);
      tokensPerMs = perMs(other.ratePerSecond);
      ({ burst, spare = 0 } = other);
      tokens = Math.min(tokens, atOnce());
    },
  };

  /** Returns how far the bucket is filled. Only a pause puts this into the future. */
  function refill(nowMs: number): number {
    tokens = Math.min(tokens, atOnce());
    if (nowMs <= filledUntilMs) return filledUntilMs;
    tokens = Math.min(atOnce(), tokens + (nowMs - filledUntilMs) * tokensPerMs);
    filledUntilMs = nowMs;
    return nowMs;
  }

  /** How many may be sent together now. */
  function atOnce(): number {
    return Math.min(burst, Math.max(LEAST_AT_ONCE, burst + spare - underWay));
  }
}

/** Shared by all hosts. */
export interface DepartureBoard {
  /** Returns the wait for the first departure (ms). */
  reserve(key: string, of: { count: number; apartMs: number; burst: number }): Promise<number>;
  pause(key: string, ms: number): Promise<void>;
}

/** A killed process loses its reservations. So only a few are taken. */
const MAX_RESERVED = 10;

/** Less than the service allows, because several processes may be late together. */
const MAX_SHARED_BURST = 5;

/** After such a delay, the whole process was paused. The lost time is not made up for. */
const MISSED_AFTER_MS = 500;

/** Without the board, nothing is sent, and after this time the process gives up. */
const BOARD_AWAY_MS = 1_000;
const BOARD_PATIENCE_MS = 30_000;

/** Many hosts share the limit. Each waits with its own clock. */
export function sharedBucket(
  limit: BucketLimit,
  { board, key, clock }: { board: DepartureBoard; key: string; clock: Pick<Clock, 'monotonicMs'> },
): PacePolicy<BucketLimit> {
  let { burst, ratePerSecond } = limit;
  let departuresMs: number[] = [];
  let pausedUntilMs = 0;
  let awaySinceMs: number | null = null;

  return {
    async prepare(waiting) {
      const nowMs = clock.monotonicMs();
      departuresMs = departuresMs.filter((atMs) => atMs > nowMs - MISSED_AFTER_MS);
      if (!ratePerSecond || departuresMs.length > 0 || nowMs < pausedUntilMs) return;
      const count = Math.min(waiting, MAX_RESERVED);
      const apartMs = 1_000 / ratePerSecond;
      const of = { count, apartMs, burst: Math.min(burst, MAX_SHARED_BURST) };
      try {
        const waitMs = await board.reserve(key, of);
        const firstMs = clock.monotonicMs() + waitMs;
        departuresMs = Array.from({ length: count }, (_, index) => firstMs + index * apartMs);
        awaySinceMs = null;
      } catch (error) {
        awaySinceMs ??= nowMs;
        pausedUntilMs = clock.monotonicMs() + BOARD_AWAY_MS;
        if (pausedUntilMs - awaySinceMs <= BOARD_PATIENCE_MS) return;
        awaySinceMs = null;
        throw error;
      }
    },
    waitMs(nowMs) {
      const firstMs = ratePerSecond ? (departuresMs[0] ?? nowMs + 1) : nowMs;
      return Math.max(firstMs, pausedUntilMs) - nowMs;
    },
    depart() {
      departuresMs.shift();
      return () => {};
    },
    pause(untilMs, nowMs) {
      pausedUntilMs = Math.max(pausedUntilMs, untilMs);
      departuresMs = [];
      // Otherwise, the service's responses slow the others.
      board.pause(key, untilMs - nowMs).catch(() => undefined);
    },
    keep(other) {
      ({ burst, ratePerSecond } = other);
    },
  };
}

/** Without a limit, every wait is 0. */
function perMs(ratePerSecond: number | null): number {
  return ratePerSecond ? ratePerSecond / 1_000 : Number.POSITIVE_INFINITY;
}

/** Requests per window. Windows may start at any time. Null means no limit. */
export type WindowLimit = { requests: number; windowMs: number } | null;

/** Runs use this part. Users need the rest. */
const USED_PART = 0.99;

/** Spacing makes up for late requests. */
const GAP_PART = 0.8;

/** The latest arrival after the departure. */
const LATEST_ARRIVAL_MS = 400;

/** Clocks are accurate to one millisecond. */
const MARGIN_MS = 5;

/** A request that was answered. */
interface Answered {
  departedMs: number;
  answeredMs: number;
}

/**
 * CRMs count in windows. A request counts from its departure until a window after its latest arrival. So network delays
 * never exceed any window.
 */
export function slidingWindow(limit: WindowLimit): PacePolicy<WindowLimit> {
  let kept = limit;
  let underWay = 0;
  let nextMs = 0;
  let pausedUntilMs = 0;
  let fastestMs = Number.POSITIVE_INFINITY;
  let counted: Answered[] = [];

  return {
    waitMs(nowMs) {
      const pauseMs = pausedUntilMs - nowMs;
      if (kept === null) return pauseMs;
      const windowMs = kept.windowMs + MARGIN_MS;
      counted = counted.filter((one) => latestMs(one) + windowMs > nowMs);
      const isFull = underWay + counted.length >= Math.ceil(kept.requests * USED_PART);
      const fullMs =
        counted.length === 0 ? gapMs() : Math.min(...counted.map(latestMs)) + windowMs - nowMs;
      return Math.max(pauseMs, nextMs - nowMs, isFull ? fullMs : 0);
    },
    depart(departedMs) {
      underWay += 1;
      nextMs = departedMs + gapMs();
      return (answeredMs) => {
        underWay -= 1;
        fastestMs = Math.min(fastestMs, answeredMs - departedMs);
        if (kept !== null) counted.push({ departedMs, answeredMs });
      };
    },
    pause(untilMs) {
      pausedUntilMs = Math.max(pausedUntilMs, untilMs);
    },
    keep(other) {
      kept = other;
    },
  };

  /** The latest possible arrival. Assumes that the fastest request arrived immediately. */
  function latestMs({ departedMs, answeredMs }: Answered): number {
    return Math.min(answeredMs - fastestMs, departedMs + LATEST_ARRIVAL_MS);
  }

  function gapMs(): number {
    return kept === null ? 0 : (kept.windowMs / kept.requests) * GAP_PART;
  }
}

/** Arrival times differ between processes. */
const UNEVEN_ARRIVAL_MS = 100;

/** Many hosts share the limit. Each spreads its departures evenly. */
export function sharedWindow(
  limit: WindowLimit,
  shared: { board: DepartureBoard; key: string; clock: Pick<Clock, 'monotonicMs'> },
): PacePolicy<WindowLimit> {
  const own = slidingWindow(limit);
  const all = sharedBucket(toBucketLimit(limit), shared);
  return {
    prepare: all.prepare,
    waitMs: (nowMs) => Math.max(own.waitMs(nowMs), all.waitMs(nowMs)),
    depart(nowMs) {
      all.depart(nowMs);
      return own.depart(nowMs);
    },
    pause(untilMs, nowMs) {
      own.pause(untilMs, nowMs);
      all.pause(untilMs, nowMs);
    },
    keep(other, nowMs) {
      own.keep(other, nowMs);
      all.keep(toBucketLimit(other), nowMs);
    },
  };
}

/** Never exceeds the limit in any window. */
function toBucketLimit(limit: WindowLimit): BucketLimit {
  if (limit === null) return { ratePerSecond: null, burst: 1 };
  // The burst is a tenth, because a window has the burst and the rate.
  const burst = Math.max(1, Math.min(MAX_SHARED_BURST, Math.floor(limit.requests / 10)));
  const windowMs = limit.windowMs + UNEVEN_ARRIVAL_MS;
  return { ratePerSecond: ((limit.requests * USED_PART - burst + 1) / windowMs) * 1_000, burst };
}
