import { FatalError } from '../../core/errors.ts';

/** The longest time for which one caller may use the only connection. */
const MAX_HOLD_MS = 30_000;

/** A lock for the only connection to an SQLite database. Callers get the connection in the order of their calls. */
export interface ConnectionQueue {
  /** Waits for the connection. Rejects with a FatalError if the connection is never returned. */
  enter(): Promise<void>;
  leave(): void;
}

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/** Creates the queue. A transaction takes milliseconds, so the default of 30 seconds for `maxHoldMs` is generous. */
export function createConnectionQueue(maxHoldMs = MAX_HOLD_MS): ConnectionQueue {
  const waiting = new Set<Waiter>();
  let isHeld = false;
  let watchdog: NodeJS.Timeout | undefined;

  function enter(): Promise<void> {
    if (!isHeld) {
      isHeld = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      waiting.add({ resolve, reject });
      watchdog ??= setTimeout(refuseWaiting, maxHoldMs);
    });
  }

  function leave(): void {
    clearTimeout(watchdog);
    const [next] = waiting;
    isHeld = next !== undefined;
    if (next) {
      waiting.delete(next);
      next.resolve();
    }
    watchdog = waiting.size > 0 ? setTimeout(refuseWaiting, maxHoldMs) : undefined;
  }

  function refuseWaiting(): void {
    watchdog = undefined;
    for (const waiter of waiting) waiter.reject(heldTooLong(maxHoldMs));
    waiting.clear();
  }

  return { enter, leave };
}

function heldTooLong(maxHoldMs: number): FatalError {
  return new FatalError(
    `One transaction has blocked the database for more than ${maxHoldMs / 1000} seconds. A transaction must wait only for its own queries.`,
    { code: 'database_held_too_long' },
  );
}
