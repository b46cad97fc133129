/**
 * Simulates time with a list of all future events. After each event, the program runs until it is idle, and then the
 * next event is processed. The seed determines the order of simultaneous events.
 */
import { createHeap } from '../../testbed/heap.ts';
import type { Random } from './random.ts';

export const HOUR_MS = 3_600_000;

/**
 * The owner of an event. While the owner is frozen, the timeline postpones the event. If the owner no longer exists,
 * the event never happens.
 */
export interface Actor {
  readonly state: 'alive' | 'frozen' | 'gone';
  /** Stores an event that is due while the owner is frozen. */
  park(run: () => void): void;
}

export interface Due {
  cancel(): void;
}

export interface Timeline {
  /** Returns the true time (epoch ms), which may differ from the time on every simulated clock. */
  now(): number;
  /** Schedules an event after this many milliseconds. */
  after(ms: number, run: () => void, actor?: Actor): Due;
  /** Waits this many milliseconds. */
  pass(ms: number): Promise<void>;
  /** Processes the next event and waits until the program is idle. Returns false if there is no event. */
  step(): Promise<boolean>;
  readonly steps: number;
}

interface Event extends Due {
  at: number;
  /** Decides the order of simultaneous events. */
  tie: number;
  run: (() => void) | null;
  actor: Actor | undefined;
}

export function createTimeline(
  startMs: number,
  random: Random,
  underWay: () => Promise<unknown> | null = () => null,
): Timeline {
  const heap = createHeap(isBefore);
  let now = startMs;
  let steps = 0;

  function after(ms: number, run: () => void, actor?: Actor): Due {
    const event: Event = {
      at: now + Math.max(0, ms),
      tie: random.next(),
      run,
      actor,
      cancel() {
        event.run = null;
      },
    };
    heap.push(event);
    return event;
  }

  return {
    now: () => now,
    after,
    pass: (ms) => new Promise((resolve) => after(ms, resolve)),
    async step() {
      for (let event = heap.pop(); event !== undefined; event = heap.pop()) {
        const { run, actor, at } = event;
        if (run === null || actor?.state === 'gone') continue;
        now = Math.max(now, at);
        if (actor?.state === 'frozen') {
          // A process must still be able to cancel an event that waits for a frozen owner.
          actor.park(() => event.run?.());
          continue;
        }
        steps += 1;
        event.run = null;
        run();
        await atRest(underWay);
        return true;
      }
      return false;
    },
    get steps() {
      return steps;
    },
  };
}

const immediately = setImmediate;

/**
 * Waits until the program is idle. All microtasks run before the next turn of the event loop. After this turn, only a
 * real database can still have work.
 */
export async function atRest(underWay: () => Promise<unknown> | null): Promise<void> {
  for (;;) {
    await new Promise<void>((resolve) => immediately(resolve));
    const answer = underWay();
    if (answer === null) return;
    await answer;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.tie < other.tie);
}
