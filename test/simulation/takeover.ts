/**
 * Replaces the time and randomness that the product takes directly from the machine. Simulated processes use
 * simulated values. All other code still uses the real values. Import this file before the product.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import type { Random } from './random.ts';
import type { Due } from './timeline.ts';

/** The part of a machine that a process uses. */
export interface Machine {
  monotonicMs(): number;
  /** Calls a function after this number of milliseconds on the machine's own clock. */
  later(ms: number, run: () => void): Due;
}

const inside = new AsyncLocalStorage<Machine>();

export function runInside<Result>(machine: Machine, work: () => Result): Result {
  return inside.run(machine, work);
}

let chance: Random | null = null;

/** A source of random bytes that are drawn in advance, for many nonces at a time. */
let ahead: Random | null = null;

/** Sets the source of all IDs, keys and nonces. Null restores the machine's own source. */
export function setChance(random: Random | null): void {
  chance = random;
  ahead = random?.split('ahead') ?? null;
}

/** Sets the process IDs that `process.kill(id, 0)` reports as alive. Null restores the machine's own check. */
export function setLiving(isLiving: Living | null): void {
  living = isLiving;
}

type Living = (processId: number, asking: Machine | undefined) => boolean;

let living: Living | null = null;

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: globalThis.setImmediate,
  timeout: AbortSignal.timeout,
  sleep: timersPromises.setTimeout,
  now: performance.now.bind(performance),
  randomUUID: crypto.randomUUID,
  randomBytes: crypto.randomBytes,
  kill: process.kill.bind(process),
};

/** The timers of simulated processes, by the handles that the product receives. */
const timers = new WeakMap<object, Due>();

function startTimer(run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown {
  const machine = inside.getStore();
  if (machine === undefined) return real.setTimeout(run, ms, ...args);
  return startOn(machine, () => run(...args), ms, false);
}

function startInterval(run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown {
  const machine = inside.getStore();
  if (machine === undefined) return real.setInterval(run, ms, ...args);
  return startOn(machine, () => run(...args), ms, true);
}

function startOn(machine: Machine, run: () => void, ms: number, isRepeated: boolean): object {
  // As on a real machine, no wait is shorter than a millisecond. If a wait took no time, a loop might never end.
  const waitMs = ms > 0 ? Math.max(1, ms) : ms;
  const timer = { unref: () => timer, ref: () => timer };
  begin();
  return timer;

  function begin(): void {
    timers.set(
      timer,
      machine.later(waitMs, () => {
        if (isRepeated) begin();
        runInside(machine, run);
      }),
    );
  }
}

function stopTimer(timer: unknown): void {
  if (typeof timer !== 'object' || timer === null) return;
  const due = timers.get(timer);
  if (due === undefined) Reflect.apply(real.clearTimeout, null, [timer]);
  else due.cancel();
}

function startImmediate(run: (...args: unknown[]) => void, ...args: unknown[]): unknown {
  const isInside = inside.getStore() !== undefined;
  return isInside ? startTimer(run, 0, ...args) : real.setImmediate(run, ...args);
}

function sleep(ms: number, value?: unknown, options?: object): Promise<unknown> {
  const machine = inside.getStore();
  if (machine === undefined) return real.sleep(ms, value, options);
  return new Promise((resolve) => machine.later(ms, () => resolve(value)));
}

function timeoutSignal(ms: number): AbortSignal {
  const machine = inside.getStore();
  if (machine === undefined) return real.timeout(ms);
  const controller = new AbortController();
  machine.later(ms, () => controller.abort(new DOMException('timeout', 'TimeoutError')));
  return controller.signal;
}

function randomUuid(): string {
  if (chance === null) return real.randomUUID();
  const hex = Buffer.from(chance.bytes(16)).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The largest number of random bytes for a key. A larger request fills a stock of nonces. */
const LONGEST_KEY = 64;

/**
 * Returns random bytes. The product keeps a stock of nonces, which can outlast a simulated night. Earlier nights
 * therefore determine whether a night needs a new stock, so a new stock must not change the night's IDs.
 */
function randomBuffer(size: number): Buffer {
  const random = size > LONGEST_KEY ? ahead : chance;
  return random === null ? real.randomBytes(size) : Buffer.from(random.bytes(size));
}

function killOrLook(processId: number, signal?: string | number): boolean {
  if (signal !== 0 || living === null) return real.kill(processId, signal);
  if (living(processId, inside.getStore())) return true;
  throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
}

// Switches off freezing. Kysely freezes each node of each query, which takes a twentieth of the simulation's time.
// The fast tests still freeze the nodes.
Object.assign(Object, { freeze: (value: unknown) => value });
Object.assign(globalThis, {
  ...{ setTimeout: startTimer, clearTimeout: stopTimer },
  ...{ setInterval: startInterval, clearInterval: stopTimer },
  setImmediate: startImmediate,
});
Object.assign(AbortSignal, { timeout: timeoutSignal });
Object.assign(timersPromises, { setTimeout: sleep });
Object.assign(performance, { now: () => inside.getStore()?.monotonicMs() ?? real.now() });
Object.assign(crypto, { randomUUID: randomUuid, randomBytes: randomBuffer });
Object.assign(process, { kill: killOrLook });
syncBuiltinESMExports();

/** The machine's real time, which measures the simulation itself. */
export const realNowMs = real.now;
