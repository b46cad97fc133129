export interface Clock extends WallClock {
  /**
   * Returns the milliseconds since a fixed time in this process. Changes of the clock do not affect this number, so
   * only this number reliably measures elapsed time.
   */
  monotonicMs(): number;
}

/** The clock of the machine. Users and time servers can set it at any time. */
export interface WallClock {
  /** Returns the time in epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: Date.now,
  monotonicMs: () => performance.now(),
  sleep(ms, signal) {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(finish, ms);
      signal?.addEventListener('abort', finish, { once: true });
      function finish(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      }
    });
  },
};

/**
 * Creates a clock that starts at another clock's current time and then runs independently. The new clock runs evenly,
 * even if someone sets the other clock.
 */
export function steadyClock(clock: Clock): Clock {
  const offsetMs = clock.now() - clock.monotonicMs();
  return {
    // Whole milliseconds, because databases store times in that form.
    now: () => Math.floor(offsetMs + clock.monotonicMs()),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}

/**
 * Starts a measurement. Returns a function, and each call of the function returns the elapsed milliseconds. Uses two
 * clocks, because some monotonic clocks stop while the machine is suspended.
 */
export function stopwatch(clock: Pick<Clock, 'now' | 'monotonicMs'>): () => number {
  const began = { at: clock.now(), atMs: clock.monotonicMs() };
  return () => Math.max(clock.now() - began.at, clock.monotonicMs() - began.atMs);
}

/** Returns a time in ISO 8601, such as `2026-11-20T02:00:00.000Z`. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
