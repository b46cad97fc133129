import type { Clock } from '../core/clock.ts';

/**
 * Decides when the next request may be sent. All times in a pace are monotonic, so changes of the clock do not matter.
 */
export interface PacePolicy<Limit> {
  /**
   * Returns the wait before the next request. 0 or less means that it can be sent now. The wait depends on the earlier
   * requests.
   */
  waitMs(nowMs: number): number;
  /** Records that a request is sent. Call the returned function when the request has ended. */
  depart(nowMs: number): (nowMs: number) => void;
  /** Sends nothing before `untilMs`. */
  pause(untilMs: number, nowMs: number): void;
  /** Sets a different limit. */
  keep(limit: Limit, nowMs: number): void;
  /** Called before each request that counts towards a shared limit. If it rejects, the waiting requests reject too. */
  prepare?: ((waiting: number) => Promise<void>) | undefined;
}

/** The pace of requests towards one limit of the service or the CRM. */
export interface Pace<Lane extends string, Limit> {
  /**
   * Resolves when a request of this lane may be sent. The lanes take turns. Call the returned function when the request
   * has ended. After an abort, rejects with the signal's reason, and the request does not count.
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

/** Creates a pace with a policy. The lanes share the limit fairly. */
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
          // If no request is waiting, the timer would only keep the process alive.
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

/** The paces of a process. Each pace is created on first use. */
export interface PaceRegistry<One> {
  /**
   * Returns the pace for a key. `key` identifies requests that count together. The key may be a keyed hash, but never a
   * secret.
   */
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

/** The number of requests per second (null or 0 for no limit), and the number of requests that may be sent at once. */
export interface BucketLimit {
  ratePerSecond: number | null;
  burst: number;
  /**
   * The number of requests that remain unused because of delayed requests, although the service would accept them.
   * Defaults to none.
   */
  spare?: number;
}

/**
 * The minimum number of requests that may be sent at once. With a smaller number, a late timer would permanently reduce
 * the rate.
 */
const LEAST_AT_ONCE = 2;

/**
 * A policy that allows a rate and a burst. The bucket starts to fill at `startMs`. The service takes a token at an
 * unknown time between the sending and the response. A full bucket gains no tokens. Therefore, requests in flight count
 * as part of the burst. If they did not count, delayed requests could exceed the burst.
 *
 * In the worst case, the service rejects one request in about 10,000 half-minutes (test/partner). A rejected request
 * costs one pause. Preventing this would slow down every run.
 */
export function tokenBucket(limit: BucketLimit, startMs: number): PacePolicy<BucketLimit> {
  let { burst, spare = 0 } = limit;
  let tokensPerMs = perMs(limit.ratePerSecond);
  // The bucket does not start full, because an earlier process may have emptied the service's bucket.
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
      // The service has just reported that its bucket is empty.
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

  /** Returns the time up to which the bucket is filled. Only a pause moves this time into the future. */
  function refill(nowMs: number): number {
    tokens = Math.min(tokens, atOnce());
    if (nowMs <= filledUntilMs) return filledUntilMs;
    tokens = Math.min(atOnce(), tokens + (nowMs - filledUntilMs) * tokensPerMs);
    filledUntilMs = nowMs;
    return nowMs;
  }

  /** Returns the number of requests that may be sent at once now. */
  function atOnce(): number {
    return Math.min(burst, Math.max(LEAST_AT_ONCE, burst + spare - underWay));
  }
}

/** The board on which all hosts share their sending times. */
export interface DepartureBoard {
  /** Reserves sending times. Returns the wait before the first request (ms). */
  reserve(key: string, of: { count: number; apartMs: number; burst: number }): Promise<number>;
  pause(key: string, ms: number): Promise<void>;
}

/**
 * The maximum number of reserved sending times. A process that is killed loses its reservations, so only a few are
 * reserved.
 */
const MAX_RESERVED = 10;

/**
 * The maximum number of requests at once. This number is lower than the service's limit, because several processes may
 * be late at the same time.
 */
const MAX_SHARED_BURST = 5;

/**
 * After a longer delay, the whole process was paused. donor-sync does not send more requests to make up for the lost
 * time.
 */
const MISSED_AFTER_MS = 500;

/**
 * The time after which the process gives up if the board is unavailable. While the board is unavailable, the process
 * sends nothing.
 */
const BOARD_AWAY_MS = 1_000;
const BOARD_PATIENCE_MS = 30_000;

/** A policy for a limit that many hosts share. Each host waits with its own clock. */
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
      // If this fails, the service's responses slow down the other hosts.
      board.pause(key, untilMs - nowMs).catch(() => undefined);
    },
    keep(other) {
      ({ burst, ratePerSecond } = other);
    },
  };
}

/** Returns the rate per millisecond. If there is no limit, every wait is 0. */
function perMs(ratePerSecond: number | null): number {
  return ratePerSecond ? ratePerSecond / 1_000 : Number.POSITIVE_INFINITY;
}

/** The number of requests per time window. A window may start at any time. Null means no limit. */
export type WindowLimit = { requests: number; windowMs: number } | null;

/** The part of the limit that runs use. Users need the rest. */
const USED_PART = 0.99;

/** The part of the even distance by which requests are at least apart. This part makes up for late requests. */
const GAP_PART = 0.8;

/** The maximum time between the sending and the arrival of a request. */
const LATEST_ARRIVAL_MS = 400;

/** A margin for clocks, which are accurate to one millisecond. */
const MARGIN_MS = 5;

/** A request that was answered. */
interface Answered {
  departedMs: number;
  answeredMs: number;
}

/**
 * A policy for CRMs that count requests in time windows. A request counts from its sending until one window after its
 * latest arrival. Therefore, network delays never cause too many requests in a window.
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

  /** Returns the latest possible arrival of a request. Assumes that the fastest request arrived immediately. */
  function latestMs({ departedMs, answeredMs }: Answered): number {
    return Math.min(answeredMs - fastestMs, departedMs + LATEST_ARRIVAL_MS);
  }

  function gapMs(): number {
    return kept === null ? 0 : (kept.windowMs / kept.requests) * GAP_PART;
  }
}

/** The maximum difference between the arrival times of different processes. */
const UNEVEN_ARRIVAL_MS = 100;

/** A policy for a window limit that many hosts share. Each host spreads its requests evenly over the window. */
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

/** Converts a window limit into a bucket limit that never exceeds it in any window. */
function toBucketLimit(limit: WindowLimit): BucketLimit {
  if (limit === null) return { ratePerSecond: null, burst: 1 };
  // The burst is a tenth of the limit, because a window contains the burst and the rate.
  const burst = Math.max(1, Math.min(MAX_SHARED_BURST, Math.floor(limit.requests / 10)));
  const windowMs = limit.windowMs + UNEVEN_ARRIVAL_MS;
  return { ratePerSecond: ((limit.requests * USED_PART - burst + 1) / windowMs) * 1_000, burst };
}
