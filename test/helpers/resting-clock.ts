import { setImmediate } from 'node:timers/promises';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

/**
 * A clock that moves only while all work is waiting for time to pass. The result does not depend on the speed of the
 * machine.
 */
export interface RestingTime {
  clock: FakeClock;
  /**
   * The `fetch` function for the product. The clock stands still during a request unless a stand-in delays the request.
   */
  fetch: typeof globalThis.fetch;
  /** Waits on this clock. Stand-ins use the function to delay a request. */
  wait(ms: number): Promise<void>;
  stop(): void;
}

/** The number of idle turns of the event loop. After this number, only a timer can start further work. */
const TURNS_AT_REST = 4;

export function startRestingTime(startMs = Date.now()): RestingTime {
  const clock = createFakeClock(startMs);
  let underWay = 0;
  let waiting = 0;
  let turnsAtRest = 0;
  let isOver = false;

  async function pass(): Promise<void> {
    while (!isOver) {
      await setImmediate();
      turnsAtRest = underWay > waiting ? 0 : turnsAtRest + 1;
      if (turnsAtRest < TURNS_AT_REST) continue;
      turnsAtRest = 0;
      await clock.advanceToNext();
    }
  }
  void pass();

  return {
    clock,
    async fetch(input, init) {
      underWay += 1;
      try {
        const { status, headers, body } = await globalThis.fetch(input, init);
        const chunks: Uint8Array[] = [];
        for await (const chunk of body ?? []) chunks.push(chunk);
        return new Response(body === null ? null : Buffer.concat(chunks), { status, headers });
      } finally {
        underWay -= 1;
      }
    },
    async wait(ms) {
      waiting += 1;
      await clock.sleep(ms);
      waiting -= 1;
    },
    stop() {
      isOver = true;
    },
  };
}
