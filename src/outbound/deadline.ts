/** The time limit of one exchange. */
export interface Deadline {
  /** Fires when the time is over, or when the caller cancels. */
  signal: AbortSignal;
  /** True if the time was over before the caller's signal fired. */
  expired(): boolean;
  /**
   * Stops the timer while we are not waiting for the other side; the caller's signal still applies.
   */
  pause(): void;
  /** Restarts the timer with the full time. */
  restart(): void;
  /** Leaves no timer and no listener behind. */
  end(): void;
}

/** How long an exchange may take, and who may end it earlier. */
export interface Patience {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** How long it may continue once the signal has fired, for a write in progress; 0 by default. */
  graceMs?: number;
}

/**
 * Starts a deadline in the machine's own time, not a clock's: it guards a real socket. It has its
 * own timer, because one of `AbortSignal.timeout` can be neither restarted nor cancelled: a run
 * would leave one behind for each request of some minutes.
 */
export function startDeadline({ timeoutMs, signal: stop, graceMs = 0 }: Patience): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let hasExpired = false;
  let timer = setTimeout(expire, timeoutMs);
  let grace: NodeJS.Timeout | undefined;
  stop?.addEventListener('abort', endSoon, { once: true });
  if (stop?.aborted) endSoon();
  return {
    signal: controller.signal,
    expired: () => hasExpired,
    pause() {
      clearTimeout(timer);
    },
    restart() {
      clearTimeout(timer);
      timer = setTimeout(expire, timeoutMs);
    },
    end,
  };

  function expire(): void {
    hasExpired = !stop?.aborted;
    end();
    abort();
  }

  function endSoon(): void {
    if (graceMs === 0) abort();
    else grace = setTimeout(abort, graceMs);
  }

  function end(): void {
    clearTimeout(timer);
    clearTimeout(grace);
    stop?.removeEventListener('abort', endSoon);
  }
}
