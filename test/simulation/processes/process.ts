/** Simulates hosts and their processes, which the simulation kills, stops, freezes and restarts. */
import type { Clock } from '../../../src/core/clock.ts';
import type { Owner } from '../../../src/core/owner.ts';
import type { Random } from '../random.ts';
import { type Machine, runInside } from '../takeover.ts';
import type { Actor, Due, Timeline } from '../timeline.ts';

/** A host's clock. Users and time servers can set it, and it can be too fast or too slow. */
export interface HostClock {
  /** The offset from the true time (ms). */
  offsetMs: number;
  /** The number of milliseconds that pass on the host's clock in one true millisecond. */
  rate: number;
}

/** A process, from its start to its end. */
export interface Life extends Machine, Actor {
  /** The name of the process, for example `B2` for the second process on host B. */
  readonly name: string;
  readonly clock: Clock;
  readonly owner: Owner;
  readonly bornAt: number;
  /** True if the simulation has killed, stopped or frozen the process. */
  readonly wasHurt: boolean;
  /** True if the process runs an undo or an erasure. An undo or an erasure also writes into opted-out contacts. */
  isAtDesk: boolean;
  /** Aborted when the process has to stop. */
  readonly stopping: AbortController;
  /** Resolves when the process is killed. */
  readonly death: Promise<void>;
  /**
   * Called before and after each message that the process sends or receives. The simulation can kill or freeze the
   * process at each call. For a dead process, the promise never resolves.
   */
  point(name: string): Promise<void>;
  kill(why: string): void;
  freeze(ms: number): void;
  /** Runs code as this process. */
  run<Result>(work: () => Result): Result;
}

/** The faults of a process, which the simulation chooses when the process starts. */
export interface Fate {
  kill: Blow | null;
  freeze: (Blow & { ms: number }) | null;
  stop: { times: number } | null;
}

/**
 * The point at which a process is stopped. The simulation counts how often the process passes a given point, and then
 * skips some further points.
 */
export interface Blow {
  /** The point at which the fault occurs. Null if the fault can occur at any point. */
  point: string | null;
  times: number;
  later: number;
}

export interface LifeOptions {
  host: string;
  /** The host's own name. Several containers can share a name. */
  hostName: string;
  number: number;
  processId: number;
  clock: HostClock;
  space: string | null;
  timeline: Timeline;
  fate: Fate;
  random: Random;
  say(who: string, what: string): void;
  passed(point: string): void;
  onDeath(life: Life, point: string): void;
  onFreeze(ms: number): void;
}

/** Points immediately before a request that spends credits, removes members from a network, or writes into a CRM. */
const LEAVING: ReadonlySet<string> = new Set([
  'send POST /enhancements',
  'send POST /networks/ID/members/batch',
  'send POST /networks/ID/members/remove',
  'crm write',
]);

/** Returns a function that returns true once, at the point at which the fault happens. */
function watchFor(blow: Blow | null): (point: string) => boolean {
  let seen = 0;
  let left: number | null = null;
  return (point) => {
    if (blow === null) return false;
    if (left !== null) left -= 1;
    else if (blow.point === null || blow.point === point) {
      seen += 1;
      if (seen === blow.times) left = blow.later;
    }
    return left === 0;
  };
}

/**
 * Returns a promise that never settles, for which a dead process waits. Each call returns a new promise, because a
 * shared promise would keep every dead process in memory for the whole simulation.
 */
export const never = () => new Promise<never>(() => undefined);

export function beginLife(options: LifeOptions): Life {
  const { timeline, clock: hostClock, fate, say } = options;
  const name = `${options.host}${options.number}`;
  const bornAt = timeline.now();
  const stopping = new AbortController();
  let state: Actor['state'] = 'alive';
  let parked: (() => void)[] = [];
  let thawed: PromiseWithResolvers<void> | null = null;
  let points = 0;
  let wasHurt = false;
  const isKilled = watchFor(fate.kill);
  const isFrozen = watchFor(fate.freeze);
  let lastPoint = 'its start';
  const death = Promise.withResolvers<void>();

  const monotonicMs = () => (timeline.now() - bornAt) * hostClock.rate;
  const life: Life = {
    name,
    bornAt,
    isAtDesk: false,
    stopping,
    death: death.promise,
    get state() {
      return state;
    },
    get wasHurt() {
      return wasHurt;
    },
    owner: {
      host: options.hostName,
      processId: options.processId,
      start: `${name}-${bornAt}`,
      space: options.space,
    },
    monotonicMs,
    later: (ms, run) => timeline.after(ms / hostClock.rate, run, life),
    clock: {
      now: () => Math.round(timeline.now() + hostClock.offsetMs),
      monotonicMs,
      sleep(ms, signal) {
        if (signal?.aborted) return Promise.resolve();
        return new Promise((resolve) => {
          const due: Due = life.later(ms, finish);
          signal?.addEventListener('abort', finish, { once: true });
          function finish(): void {
            due.cancel();
            signal?.removeEventListener('abort', finish);
            resolve();
          }
        });
      },
    },
    park(run) {
      parked.push(run);
    },
    async point(point) {
      if (state === 'gone') await never();
      points += 1;
      lastPoint = point;
      options.passed(point);
      if (isKilled(point)) life.kill(point);
      if (fate.freeze !== null && isFrozen(point)) {
        // Between the last check of the lease and the request, nothing protects a process that freezes for longer than
        // its lease and the quiet time. The simulation therefore limits the length of a freeze at this point.
        const mostMs = LEAVING.has(point) ? 5_000 : Number.POSITIVE_INFINITY;
        life.freeze(Math.min(fate.freeze.ms, mostMs));
      }
      if (fate.stop?.times === points && !stopping.signal.aborted) {
        say(`process ${name}`, `is asked to stop, at ${point}`);
        wasHurt = true;
        stopping.abort();
      }
      if (state === 'gone') await never();
      if (thawed !== null) await thawed.promise;
    },
    kill(why) {
      if (state === 'gone') return;
      state = 'gone';
      wasHurt = true;
      say(`process ${name}`, `is killed at ${why}`);
      options.onDeath(life, lastPoint);
      death.resolve();
    },
    freeze(ms) {
      if (state !== 'alive') return;
      state = 'frozen';
      options.onFreeze(ms);
      wasHurt = true;
      thawed = Promise.withResolvers();
      say(`process ${name}`, `stands still for ${Math.round(ms / 1000)} s, at ${lastPoint}`);
      timeline.after(ms, thaw);
    },
    run: (work) => runInside(life, work),
  };
  return life;

  function thaw(): void {
    if (state !== 'frozen') return;
    state = 'alive';
    say(`process ${name}`, 'goes on');
    const waiting = parked;
    parked = [];
    for (const run of waiting) timeline.after(options.random.next() * 2, run, life);
    thawed?.resolve();
    thawed = null;
  }
}
