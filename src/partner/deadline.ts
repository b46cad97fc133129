/** The end of the patience with one exchange. */
export interface Deadline {
  /** Fires with the caller's signal, or when the time is over. */
  signal: AbortSignal;
  /** True if the time was over before the caller's signal fired. */
  expired(): boolean;
  /** Stops the time, while it is not the service that is waited for. */
  pause(): void;
  /** Grants the whole time once more. */
  restart(): void;
  /** Leaves no timer and no listener behind. */
  stop(): void;
}

/** Starts a deadline in the machine's own time, not a clock's: it guards a real socket. */
export function startDeadline(timeoutMs: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let over = false;
  let timer = setTimeout(expire, timeoutMs);
  const forward = () => controller.abort();
  signal?.addEventListener('abort', forward, { once: true });
  if (signal?.aborted) forward();
  return {
    signal: controller.signal,
    expired: () => over,
    pause() {
      clearTimeout(timer);
    },
    restart() {
      clearTimeout(timer);
      timer = setTimeout(expire, timeoutMs);
    },
    stop,
  };

  function expire(): void {
    over = !signal?.aborted;
    stop();
    controller.abort();
  }

  function stop(): void {
    clearTimeout(timer);
    signal?.removeEventListener('abort', forward);
  }
}
