/** The time limit of one exchange. */
export interface Deadline {
  /** The signal that is aborted after the time limit, or when the caller cancels. */
  signal: AbortSignal;
  expired(): boolean;
  /** Stops the timer while no response is expected. The caller's signal still applies. */
  pause(): void;
  /** Starts the timer again with the full time. */
  restart(): void;
  /** Removes the timer and the listener. */
  end(): void;
}

/** The limits of an exchange. */
export interface Patience {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** The time for which a write may continue after an abort. Defaults to 0. */
  graceMs?: number;
}

/**
 * Starts a deadline. The deadline uses real time, because the connection is real even in tests. The deadline can be
 * cancelled. `AbortSignal.timeout` would leave a timer running for minutes after each request.
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
