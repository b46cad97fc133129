/**
 * Virtual time: all future events in one list. The next event is taken, the program runs until it cannot continue, then
 * the next event is taken. The seed chooses the order of simultaneous events.
 */
import { createHeap } from '../../testbed/heap.ts';
import type { Random } from './random.ts';

export const HOUR_MS = 3_600_000;

/**
 * The owner of an event. The event is postponed while the owner is frozen, and never happens once the owner is gone.
 */
export interface Actor {
  readonly state: 'alive' | 'frozen' | 'gone';
  /** Keeps events that are due while it is frozen. */
  park(run: () => void): void;
}

export interface Due {
  cancel(): void;
}

export interface Timeline {
  /** The true time (epoch ms), which no clock of the world has to show. */
  now(): number;
  /** Schedules an event in this many milliseconds. */
  after(ms: number, run: () => void, actor?: Actor): Due;
  /** Resolves in this many milliseconds. */
  pass(ms: number): Promise<void>;
  /** Processes the next event and waits until the program is idle. False if there is no event. */
  step(): Promise<boolean>;
  readonly steps: number;
}

interface Event extends Due {
  at: number;
  /** Orders simultaneous events. */
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
          // An event must be cancellable while it waits.
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
 * All microtasks run before the next turn of the event loop, and the product does nothing else until then, unless a
 * real database still has to respond.
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
