import { FatalError } from '../../core/errors.ts';

/** How long one caller may keep the only connection while others wait. */
const MAX_HOLD_MS = 30_000;

/** A mutex for the only connection of a SQLite database. Callers are served in order. */
export interface ConnectionQueue {
  /** Resolves when the caller has the connection. Rejects with a FatalError if its current user does not return it. */
  enter(): Promise<void>;
  leave(): void;
}

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/** Creates the queue. `maxHoldMs` defaults to 30 seconds, although a transaction takes only milliseconds. */
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
