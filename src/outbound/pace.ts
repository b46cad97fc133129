import type { Clock } from '../core/clock.ts';

/**
 * How a limit is kept. Instants are from the monotonic clock, so a short wait does not become long if the
 * time of day is set.
 */
export interface PacePolicy<Limit> {
  /**
   * Returns how long the next request has to wait, as far as it is known now. If the result is 0 or less, it may be
   * sent.
   */
  waitMs(nowMs: number): number;
  /** Records that a request is sent. Call the returned function once the request is over. */
  depart(nowMs: number): (nowMs: number) => void;
  /** Nothing is sent before `untilMs`. */
  pause(untilMs: number, nowMs: number): void;
  /** Keeps to a different limit from now on. */
  keep(limit: Limit, nowMs: number): void;
  /**
   * Called before each departure with the number of waiting requests, if the limit is shared. If it rejects, those
   * requests reject too.
   */
  prepare?: ((waiting: number) => Promise<void>) | undefined;
}

/** The pace of requests that the other side counts together. */
export interface Pace<Lane extends string, Limit> {
  /**
   * Resolves when a request of this lane may be sent. Lanes take turns, and within a lane requests are served in order.
   * Call the returned function once the request was answered or given up. If the signal is aborted, rejects with its
   * reason, and nothing is counted.
   */
  take(lane: Lane, signal?: AbortSignal): Promise<() => void>;
  /** Lets no request through for that long, for example after a 429. */
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

/** Creates a pace that follows a policy. Lanes share the allowed requests fairly. */
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
          // If no request waits for a pause any longer, the pause would only keep the process alive.
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

/** One pace for each key, created on first use. */
export interface PaceRegistry<One> {
  /**
   * `key` distinguishes what is counted separately. It can be a keyed hash, for example, but is never a
   * secret itself.
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

/** The number of requests per second (null or 0 for no limit), and how many may be sent together after a pause. */
export interface BucketLimit {
  ratePerSecond: number | null;
  burst: number;
  /**
   * How many further requests the service would accept at the same time. They are kept in reserve for late requests.
   * Defaults to none.
   */
  spare?: number;
}

/**
 * At least this many requests may be sent together, even with many in flight. With only one, a late timer could not be
 * made up for.
 */
const LEAST_AT_ONCE = 2;

/**
 * Returns a token bucket, for services that allow a rate and a burst. It starts to fill at `startMs`. A request takes
 * its token from the service's bucket at some time between its departure and its response. A full bucket gains no more
 * tokens, so requests in flight count as part of the burst until they are answered. Otherwise, late requests and the
 * requests after them could exceed the burst if they arrive together after a pause.
 *
 * If requests are counted seconds late, all at the worst moment, one is rejected in about 10,000 random half-minutes
 * (test/partner). This costs one pause, whereas a guarantee would cost a slower pace in every run.
 */
export function tokenBucket(limit: BucketLimit, startMs: number): PacePolicy<BucketLimit> {
  let { burst, spare = 0 } = limit;
  let tokensPerMs = perMs(limit.ratePerSecond);
  // The bucket does not start full, because a process that ended a moment ago may have emptied the service's own
  // bucket.
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
      // Whatever was counted here, the service has just reported that its bucket is empty.
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

  /** Returns the instant up to which the bucket is filled. It is later than now only during a pause. */
  function refill(nowMs: number): number {
    tokens = Math.min(tokens, atOnce());
    if (nowMs <= filledUntilMs) return filledUntilMs;
    tokens = Math.min(atOnce(), tokens + (nowMs - filledUntilMs) * tokensPerMs);
    filledUntilMs = nowMs;
    return nowMs;
  }

  /** Returns how many requests may be sent together now. */
  function atOnce(): number {
    return Math.min(burst, Math.max(LEAST_AT_ONCE, burst + spare - underWay));
  }
}

/** Assigns the departures of each key across all hosts. */
export interface DepartureBoard {
  /** Reserves departures. Returns the time from now to the first of them (ms). */
  reserve(key: string, of: { count: number; apartMs: number; burst: number }): Promise<number>;
  pause(key: string, ms: number): Promise<void>;
}

/** How many departures are reserved at a time. A process that is killed loses them. */
const MAX_RESERVED = 10;

/** Less than a service allows, because several processes may be a little late at the same time. */
const MAX_SHARED_BURST = 5;

/** If a departure was missed by more than this, the whole process was delayed, and the departure is not made up for. */
const MISSED_AFTER_MS = 500;

/** How long nothing is sent if the board could not be reached, and after how long that is given up. */
const BOARD_AWAY_MS = 1_000;
const BOARD_PATIENCE_MS = 30_000;

/**
 * Returns the bucket for a limit that many hosts share. Departures are reserved, and kept by this process's own clock.
 */
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
      // If this fails, the service itself tells the other processes to wait.
      board.pause(key, untilMs - nowMs).catch(() => undefined);
    },
    keep(other) {
      ({ burst, ratePerSecond } = other);
    },
  };
}

/** Returns the rate per millisecond. Without a limit, the bucket refills infinitely fast, so every wait becomes 0. */
function perMs(ratePerSecond: number | null): number {
  return ratePerSecond ? ratePerSecond / 1_000 : Number.POSITIVE_INFINITY;
}

/** A number of requests per window, however the other side counts them. Null means no limit. */
export type WindowLimit = { requests: number; windowMs: number } | null;

/** The part of a limit that is used, because a user may also work with the account by hand. */
const USED_PART = 0.99;

/** Requests are spaced by at most this share of an even pace, to make up for late requests. */
const GAP_PART = 0.8;

/** A request arrives before its response does, and within this time after its departure. */
const LATEST_ARRIVAL_MS = 400;

/** Clocks count in whole milliseconds. */
const MARGIN_MS = 5;

/** A request that was answered. */
interface Answered {
  departedMs: number;
  answeredMs: number;
}

/**
 * Returns a sliding window, as CRMs count. A request counts from its departure until one window after its latest
 * possible arrival. The CRM has counted it at some time in between, so network delays cannot put more requests into any
 * of the CRM's windows. No round trip is shorter than the fastest one, so at least that time passes between the
 * arrivals of two requests.
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

  /** Returns the latest possible arrival. It assumes that the fastest round trip took no time on the way there. */
  function latestMs({ departedMs, answeredMs }: Answered): number {
    return Math.min(answeredMs - fastestMs, departedMs + LATEST_ARRIVAL_MS);
  }

  function gapMs(): number {
    return kept === null ? 0 : (kept.windowMs / kept.requests) * GAP_PART;
  }
}

/** Requests of different processes take different times to arrive. */
const UNEVEN_ARRIVAL_MS = 100;

/**
 * Returns the window for a limit that many hosts share. Departures are as even as a bucket's, within the process's own
 * window.
 */
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

/** Returns a bucket that never lets more requests through in any window than the limit allows. */
function toBucketLimit(limit: WindowLimit): BucketLimit {
  if (limit === null) return { ratePerSecond: null, burst: 1 };
  // The burst is one request in ten, because a window contains the burst and the requests that the rate allows during
  // it.
  const burst = Math.max(1, Math.min(MAX_SHARED_BURST, Math.floor(limit.requests / 10)));
  const windowMs = limit.windowMs + UNEVEN_ARRIVAL_MS;
  return { ratePerSecond: ((limit.requests * USED_PART - burst + 1) / windowMs) * 1_000, burst };
}
