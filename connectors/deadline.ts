/** A signal for one exchange, and what lets go of its timers and listeners. */
export interface Deadline {
  signal: AbortSignal;
  /** True if the time was over, rather than the run. */
  expired(): boolean;
  /** From now on only the end of the run aborts. */
  clearTimers(): void;
  release(): void;
}

/** How long a write under way may go on once the run is told to stop. */
export const WRITE_GRACE_MS = 5_000;

/** Aborts after `timeoutMs`, or `graceMs` after the run was told to stop. */
export function startDeadline(timeoutMs: number, stop: AbortSignal, graceMs: number): Deadline {
  const controller = new AbortController();
  const timers = [setTimeout(() => controller.abort(), timeoutMs)];
  let hasExpired = false;
  controller.signal.addEventListener('abort', () => {
    hasExpired = !stop.aborted;
  });
  if (stop.aborted) endSoon();
  else stop.addEventListener('abort', endSoon, { once: true });
  return {
    signal: controller.signal,
    expired: () => hasExpired,
    clearTimers,
    release() {
      clearTimers();
      stop.removeEventListener('abort', endSoon);
    },
  };

  function clearTimers(): void {
    for (const timer of timers) clearTimeout(timer);
  }

  function endSoon(): void {
    if (graceMs === 0) controller.abort();
    else timers.push(setTimeout(() => controller.abort(), graceMs));
  }
}
