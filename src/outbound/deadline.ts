/** The time limit of one exchange. */
export interface Deadline {
  /** Aborted when the time is over, or when the caller cancels. */
  signal: AbortSignal;
  /** True if the time was over before the caller's signal was aborted. */
  expired(): boolean;
  /** Stops the timer while we are not waiting for the other side. The caller's signal still applies. */
  pause(): void;
  /** Restarts the timer with the full time. */
  restart(): void;
  /** Removes the timer and the listener. */
  end(): void;
}

/** The maximum time for an exchange, and the signal that can end it earlier. */
export interface Patience {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** How long the exchange may continue after the signal was aborted, for a write in progress. Defaults to 0. */
  graceMs?: number;
}

/**
 * Starts a deadline. It uses the machine's own time, because it applies to a real socket. It has its own timer, because
 * a timer of `AbortSignal.timeout` cannot be restarted or cancelled, and a run would leave one behind for each request
 * for a few minutes.
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
