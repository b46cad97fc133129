/** Time as a thing that is passed in, so that tests can own it. */
export interface Clock extends WallClock {
  /**
   * Milliseconds since some moment in the life of this process. No setting of the clock changes it,
   * so that only this tells how much time has passed.
   */
  monotonicMs(): number;
}

/** The time of day, which a person or a time server may set at any moment. */
export interface WallClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal is aborted; never rejects. */
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
 * Begins at what a clock says now and goes on by itself: a clock that is set afterwards does not make
 * old what is not.
 */
export function steadyClock(clock: Clock): Clock {
  const offsetMs = clock.now() - clock.monotonicMs();
  return {
    // Whole milliseconds, as databases keep instants.
    now: () => Math.floor(offsetMs + clock.monotonicMs()),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}

/**
 * Begins to measure; each call tells how many milliseconds have passed since. A machine that was suspended shows it by one
 * of the two clocks: not every monotonic clock counts that.
 */
export function stopwatch(clock: Pick<Clock, 'now' | 'monotonicMs'>): () => number {
  const began = { at: clock.now(), atMs: clock.monotonicMs() };
  return () => Math.max(clock.now() - began.at, clock.monotonicMs() - began.atMs);
}

/** An instant as people and programs read it: `2026-11-20T02:00:00.000Z`. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
