/** The engine of a process that serves on a real server: pg-boss, in the time of that process. */
import type { QueueConnection } from '../../src/engine/pg-boss.ts';
import type { Life } from './process.ts';
import type { SharedStore } from './store.ts';
import type { Due } from './timeline.ts';

/** What pg-boss is opened with in the place of a URL. */
export function queueOf(store: SharedStore, life: Life): QueueConnection {
  return { db: store.openQueue(life), clock: clockOf(life) };
}

function clockOf(life: Life): NonNullable<QueueConnection['clock']> {
  const timers = new WeakMap<object, Due>();

  function start(run: () => void, ms: number, isRepeated: boolean): object {
    const timer = {};
    begin();
    return timer;

    function begin(): void {
      timers.set(
        timer,
        life.later(ms, () => {
          if (isRepeated) begin();
          life.run(run);
        }),
      );
    }
  }

  function stop(timer: unknown): void {
    if (typeof timer === 'object' && timer !== null) timers.get(timer)?.cancel();
  }

  return {
    now: life.clock.now,
    setTimeout: (run, ms) => start(run, ms, false),
    setInterval: (run, ms) => start(run, ms, true),
    clearTimeout: stop,
    clearInterval: stop,
  };
}
