/** The end of the patience with one exchange. */
export interface Deadline {
  /** Fires when the time is over, or when the caller wants no more of it. */
  signal: AbortSignal;
  /** True if the time was over before the caller's signal fired. */
  expired(): boolean;
  /** Stops the time, while it is not the other side that is waited for; the caller's signal counts on. */
  pause(): void;
  /** Grants the whole time once more. */
  restart(): void;
  /** Leaves no timer and no listener behind. */
  end(): void;
}

/** How long an exchange may take, and who may end it before. */
export interface Patience {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** How long it may go on once the signal has fired: for a write under way; 0 unless given. */
  graceMs?: number;
}

/**
 * Starts a deadline in the machine's own time, not a clock's: it guards a real socket. It has a timer
 * of its own, because one of `AbortSignal.timeout` can neither be granted again nor be taken back: a
 * run would leave as many behind as it sends requests in some minutes.
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
