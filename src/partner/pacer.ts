import type { Clock } from '../core/clock.ts';

/**
 * What a request is for. Lanes share the rate fairly, so that polling never starves submitting, and
 * a thousand queries keep nobody from reading a balance (`other`).
 */
export const LANES = ['submit', 'poll', 'results', 'networks', 'queries', 'other'] as const;
export type Lane = (typeof LANES)[number];

/** A limit as a service names it: requests a second (null: none), and at once after a pause. */
export interface RateLimit {
  ratePerSecond: number | null;
  burst: number;
}

/** The pace of one API key: whoever sends with the key takes a token first. */
export interface Pacer {
  /**
   * Resolves when a request of this lane may leave: lanes in turn, first come first served within
   * a lane. Rejects with the signal's reason, and then takes no token.
   */
  take(lane: Lane, signal?: AbortSignal): Promise<void>;
  /** Lets nobody through before this instant, for example after a 429. */
  pause(untilMs: number): void;
  /** Keeps the limit that the service has named, with the same margins as the documented one. */
  keepLimit(limit: RateLimit): void;
}

/**
 * The service allows 10 requests a second and a burst of 10 (service document, section 8), counted
 * where they arrive. Requests that leave evenly arrive in clumps: with two requests of the burst
 * and one percent of the rate left unused, up to 0.2 seconds of uneven delay make no 429.
 */
export const DEFAULT_RATE_PER_SECOND = 9.9;
export const DEFAULT_BURST = 8;

const UNUSED_BURST = 2;
const UNUSED_RATE_PART = 0.01;

export interface PaceOptions {
  /** Requests a second, 9.9 unless told; null or 0 for no limit. */
  ratePerSecond?: number | null;
  /** Requests that may leave at once after a pause, 8 unless told; at least 1. */
  burst?: number;
}

/** Paces by a token bucket. */
export function createPacer(options: PaceOptions & { clock: Clock }): Pacer {
  const { clock } = options;
  const bucket = createBucket(options, clock.now());
  const lanes = LANES.map(() => new Set<Waiter>());
  let turn = 0;
  let serving = false;
  let nap = new AbortController();

  return {
    take(lane, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const queue = lanes[LANES.indexOf(lane)];
        const waiter: Waiter = {
          go() {
            signal?.removeEventListener('abort', leave);
            resolve();
          },
        };
        function leave(): void {
          queue?.delete(waiter);
          // A nap that nobody waits for any more would only keep the process alive.
          if (!anybodyWaits()) nap.abort();
          reject(signal?.reason);
        }
        signal?.addEventListener('abort', leave, { once: true });
        queue?.add(waiter);
        if (!serving) void serve();
      });
    },
    pause(untilMs) {
      bucket.pause(untilMs, clock.now());
    },
    keepLimit({ ratePerSecond, burst }) {
      const rate = ratePerSecond === null ? null : ratePerSecond * (1 - UNUSED_RATE_PART);
      bucket.adjust(rate, Math.max(1, burst - UNUSED_BURST), clock.now());
    },
  };

  async function serve(): Promise<void> {
    serving = true;
    while (anybodyWaits()) {
      const waitMs = bucket.waitMs(clock.now());
      if (waitMs > 0) {
        nap = new AbortController();
        await clock.sleep(Math.ceil(waitMs), nap.signal);
      } else {
        bucket.take();
        nextWaiter()?.go();
      }
    }
    serving = false;
  }

  function anybodyWaits(): boolean {
    return lanes.some((queue) => queue.size > 0);
  }

  function nextWaiter(): Waiter | undefined {
    for (let step = 0; step < lanes.length; step++) {
      const queue = lanes[turn];
      turn = (turn + 1) % lanes.length;
      const [waiter] = queue ?? [];
      if (waiter) {
        queue?.delete(waiter);
        return waiter;
      }
    }
    return undefined;
  }
}

/** The pacers of a process: one for each API key, whoever uses it. */
export interface Pacers {
  /** `keyId` tells keys apart (a keyed hash, say); it is never the key itself. */
  for(keyId: string): Pacer;
}

/** Makes each key's pacer when it is first asked for. */
export function createPacers(options: PaceOptions & { clock: Clock }): Pacers {
  const pacers = new Map<string, Pacer>();
  return {
    for(keyId) {
      const pacer = pacers.get(keyId) ?? createPacer(options);
      pacers.set(keyId, pacer);
      return pacer;
    },
  };
}

interface Waiter {
  go(): void;
}

interface Bucket {
  waitMs(nowMs: number): number;
  take(): void;
  pause(untilMs: number, nowMs: number): void;
  adjust(ratePerSecond: number | null, burst: number, nowMs: number): void;
}

/** Without a limit the bucket refills infinitely fast, and every wait becomes 0. */
function perMs(ratePerSecond: number | null): number {
  return ratePerSecond ? ratePerSecond / 1_000 : Number.POSITIVE_INFINITY;
}

function createBucket(options: PaceOptions, startMs: number): Bucket {
  const { ratePerSecond = DEFAULT_RATE_PER_SECOND } = options;
  let { burst = DEFAULT_BURST } = options;
  let tokensPerMs = perMs(ratePerSecond);
  // Not full: a process that ended a moment ago may have emptied the service's own bucket.
  let tokens = Math.max(1, Math.floor(burst / 2));
  let filledUntilMs = startMs;
  let seenMs = startMs;

  return {
    waitMs(nowMs) {
      refill(nowMs);
      const pausedMs = Math.max(0, filledUntilMs - nowMs);
      return pausedMs + Math.max(0, (1 - tokens) / tokensPerMs);
    },
    take() {
      tokens -= 1;
    },
    pause(untilMs, nowMs) {
      refill(nowMs);
      // Whatever was counted here, the service has just said that its bucket is empty.
      tokens = Math.min(tokens, 0);
      filledUntilMs = Math.max(filledUntilMs, untilMs);
    },
    adjust(newRatePerSecond, newBurst, nowMs) {
      refill(nowMs);
      tokensPerMs = perMs(newRatePerSecond);
      burst = newBurst;
      tokens = Math.min(tokens, burst);
    },
  };

  function refill(nowMs: number): void {
    // A machine's clock that is set back must not turn a short pause into a long one.
    if (nowMs < seenMs) filledUntilMs -= seenMs - nowMs;
    seenMs = nowMs;
    if (nowMs <= filledUntilMs) return;
    tokens = Math.min(burst, tokens + (nowMs - filledUntilMs) * tokensPerMs);
    filledUntilMs = nowMs;
  }
}
