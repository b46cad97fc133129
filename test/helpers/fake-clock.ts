import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/core/clock.ts';

/** A clock that moves only when a test moves it. */
export interface FakeClock extends Clock {
  /** Moves the clock forward. Each waiting task continues at its own time, before the next waiting task continues. */
  advance(ms: number): Promise<void>;
  /**
   * Moves the clock forward to the time at which the next waiting task continues. Does nothing if no task is waiting.
   */
  advanceToNext(): Promise<void>;
  sleepers(): number;
}

interface Sleeper {
  wakeMs: number;
  wake(): void;
}

export function createFakeClock(startMs = 0): FakeClock {
  let nowMs = startMs;
  const sleepers = new Set<Sleeper>();

  return {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const sleeper = { wakeMs: nowMs + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
        function wake(): void {
          signal?.removeEventListener('abort', wake);
          sleepers.delete(sleeper);
          resolve();
        }
      });
    },
    advance,
    async advanceToNext() {
      const next = earliest(Number.POSITIVE_INFINITY);
      if (next !== undefined) await advance(Math.max(0, next.wakeMs - nowMs));
    },
    sleepers: () => sleepers.size,
  };

  async function advance(ms: number): Promise<void> {
    const endMs = nowMs + ms;
    await setImmediate();
    for (let next = earliest(endMs); next !== undefined; next = earliest(endMs)) {
      nowMs = Math.max(nowMs, next.wakeMs);
      next.wake();
      await setImmediate();
    }
    nowMs = endMs;
  }

  function earliest(endMs: number): Sleeper | undefined {
    return [...sleepers]
      .filter((sleeper) => sleeper.wakeMs <= endMs)
      .sort((a, b) => a.wakeMs - b.wakeMs)[0];
  }
}
