/** The time limit of one exchange. */
export interface Deadline {
  /** Aborted after the limit, or when the caller cancels. */
  signal: AbortSignal;
  expired(): boolean;
  /** Stops the timer while nobody is waited for. The caller's signal still applies. */
  pause(): void;
  /** Restarts the timer with the full time. */
  restart(): void;
  /** Removes the timer and the listener. */
  end(): void;
}

/** The limits of an exchange. */
export interface Patience {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** A write may continue this long after the abort. Defaults to 0. */
  graceMs?: number;
}

/**
 * Starts now. Uses real time, because the socket is real. The timer can be cancelled. `AbortSignal.timeout` would leave
 * a timer running for minutes after each request.
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
