import type { WallClock } from '../../src/core/clock.ts';

/** The pace of requests that HubSpot counts together. */
export interface Pacer {
  /**
   * Resolves when a request may leave, first come first served, or when the signal is aborted.
   * What it gives is to be called once the request was answered, or given up.
   */
  take(clock: WallClock, signal: AbortSignal): Promise<() => void>;
  /** Lets nobody through for so long, for example after a 429. */
  pause(clock: WallClock, ms: number): void;
  /** Keeps another limit from now on. */
  keep(limit: Limit | null): void;
}

/** So many requests in such a window, whichever way HubSpot counts it; null stands for no limit. */
export interface Limit {
  requests: number;
  windowMs: number;
}

/** The pacers of a process: whoever HubSpot counts together shares one. */
export interface PacerRegistry {
  /** All requests of an app in an account. `key` tells them apart (a hash); never a token itself. */
  requests(key: string): Pacer;
  /** Searches have a limit of their own, for all apps of an account together. */
  searches(key: string): Pacer;
}

/** What HubSpot allows a private app of the larger plans, until it says otherwise (CRM facts, B4). */
const DEFAULT_LIMIT: Limit = { requests: 190, windowMs: 10_000 };

/** The part of a limit that is made use of: somebody may look at the account by hand. */
const USED_PART = 0.99;

/** Requests leave no further apart than this part of an even pace, to make up for late ones. */
const GAP_PART = 0.8;

/** A request arrives before its answer does, and within this time of its departure. */
const LATEST_ARRIVAL_MS = 400;

/** Clocks count in whole milliseconds. */
const MARGIN_MS = 5;

/** Waits in a row until a request leaves; each of them ends later only if somebody pauses again. */
const MAX_WAITS = 100;

/** Makes each pacer when it is first asked for. */
export function createPacerRegistry(): PacerRegistry {
  const requests = new Map<string, Pacer>();
  const searches = new Map<string, Pacer>();
  return {
    requests: (key) => takeOrMake(requests, key, DEFAULT_LIMIT),
    searches: (key) => takeOrMake(searches, key, null),
  };
}

function takeOrMake(pacers: Map<string, Pacer>, key: string, limit: Limit | null): Pacer {
  const pacer = pacers.get(key) ?? createPacer(limit);
  pacers.set(key, pacer);
  return pacer;
}

/**
 * Counts a request from its departure until a window after its latest arrival. HubSpot has counted
 * it some time in between, so that uneven networks make no window of HubSpot's hold more.
 */
export function createPacer(limit: Limit | null): Pacer {
  let kept = limit;
  let underWay = 0;
  let nextMs = 0;
  let pausedUntilMs = 0;
  let turn = Promise.resolve();
  /** When the requests that were answered had arrived at the latest, in order. */
  const arrivedMs: number[] = [];

  return {
    async take(clock, signal) {
      const before = turn;
      const { promise, resolve: pass } = Promise.withResolvers<void>();
      turn = promise;
      await before;
      for (let wait = 0; wait < MAX_WAITS && !signal.aborted; wait += 1) {
        const waitMs = waitFor(clock.now());
        if (waitMs <= 0) break;
        await clock.sleep(waitMs, signal);
      }
      const departedMs = clock.now();
      underWay += 1;
      nextMs = departedMs + gapMs();
      pass();
      return () => {
        underWay -= 1;
        note(Math.min(clock.now(), departedMs + LATEST_ARRIVAL_MS));
      };
    },
    pause(clock, ms) {
      pausedUntilMs = Math.max(pausedUntilMs, clock.now() + ms);
    },
    keep(other) {
      kept = other;
    },
  };

  /** How long the next request has to wait, as far as is known now. */
  function waitFor(nowMs: number): number {
    const pauseMs = pausedUntilMs - nowMs;
    if (kept === null) return pauseMs;
    const windowMs = kept.windowMs + MARGIN_MS;
    while ((arrivedMs[0] ?? nowMs) + windowMs <= nowMs) arrivedMs.shift();
    const [oldest] = arrivedMs;
    const isFull = underWay + arrivedMs.length >= Math.ceil(kept.requests * USED_PART);
    const fullMs = oldest === undefined ? gapMs() : oldest + windowMs - nowMs;
    return Math.max(pauseMs, nextMs - nowMs, isFull ? fullMs : 0);
  }

  function note(ms: number): void {
    if (kept === null) return;
    arrivedMs.splice(arrivedMs.findLastIndex((earlier) => earlier <= ms) + 1, 0, ms);
  }

  function gapMs(): number {
    return kept === null ? 0 : (kept.windowMs / kept.requests) * GAP_PART;
  }
}
