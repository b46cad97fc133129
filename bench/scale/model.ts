/**
 * Simulates the nightly syncs of many clients. A run waits for a free place on a worker, and each step of the run uses
 * several shared resources. The model uses only times that were measured with the product.
 */

import { createHeap } from '../../testbed/heap.ts';

/** The resources that one step of a run uses at one time. The step ends when the slowest resource has finished. */
export interface Step {
  /** The time (ms) for which the step waits for jobs and for responses from the CRM and the service. */
  waitMs: number;
  workerMs: number;
  /** The processor time of the database (ms). */
  databaseMs: number;
  /** The number of requests that count towards the key's rate limit. */
  requests: number;
}

/** The work of a simulated night, which is equal for all clients. */
export interface Work {
  integrations: number;
  /** The period (ms) in which all schedules start. The starts are distributed evenly. */
  dueWithinMs: number;
  /** The steps of a run, and the number of times that each step is repeated. */
  steps: readonly (Step & { times: number })[];
  /** The number of clients that share a key. */
  integrationsAKey: number;
}

export interface Machines {
  workers: number;
  /** The number of scheduled runs that a worker executes at one time. */
  runsAtOnce: number;
  databaseCores: number;
  requestsPerSecond: number;
}

export interface Forecast {
  /** The time (seconds) from the first schedule to the end of the last run. */
  seconds: number;
  /** The longest time (seconds) that a run has waited for a place. */
  longestWaitSeconds: number;
  /** The shares of the time, from 0 to 1, in which the workers and the database were busy. */
  workersBusy: number;
  databaseBusy: number;
}

interface Run {
  at: number;
  worker: Line;
  key: Line;
  step: number;
  /** The number of times that the step has already been executed. */
  taken: number;
}

/** A resource that processes requests one after another. */
interface Line {
  freeAt: number;
  busyMs: number;
}

export function forecastNight(work: Work, machines: Machines): Forecast {
  const { integrations, integrationsAKey, dueWithinMs, steps } = work;
  const workers = lines(machines.workers);
  const database = lines(machines.databaseCores);
  const keys = lines(Math.ceil(integrations / integrationsAKey));
  const requestMs = 1_000 / machines.requestsPerSecond;
  const atWork = createHeap<Run>((one, other) => one.at < other.at);
  // Runs are assigned to the workers in turn, so all workers have the same number of runs.
  const places = createHeap<{ at: number; order: number; worker: Line }>(
    (one, other) => one.at < other.at || (one.at === other.at && one.order < other.order),
  );
  for (let order = 0; order < machines.workers * machines.runsAtOnce; order++) {
    places.push({ at: 0, order, worker: at(workers, order % machines.workers) });
  }
  let begun = 0;
  let longestWaitMs = 0;
  let endedMs = 0;

  function begin(): void {
    if (begun === integrations) return;
    const place = places.pop();
    if (place === undefined) return;
    const dueMs = (dueWithinMs * begun) / integrations;
    const key = at(keys, Math.floor(begun / integrationsAKey));
    const beginsMs = Math.max(dueMs, place.at);
    longestWaitMs = Math.max(longestWaitMs, beginsMs - dueMs);
    begun += 1;
    atWork.push({ at: beginsMs, worker: place.worker, key, step: 0, taken: 0 });
  }

  /** Simulates one step of a run, and returns the time at which the step ends. */
  function take({ waitMs, workerMs, databaseMs, requests }: Step, run: Run): number {
    return Math.max(
      run.at + waitMs,
      serve(run.worker, run.at, workerMs),
      serve(firstFree(database), run.at, databaseMs),
      serve(run.key, run.at, requests * requestMs),
    );
  }

  for (let place = 0; place < machines.workers * machines.runsAtOnce; place++) begin();
  for (let run = atWork.pop(); run !== undefined; run = atWork.pop()) {
    const step = steps[run.step];
    if (step === undefined) {
      endedMs = Math.max(endedMs, run.at);
      places.push({ at: run.at, order: begun, worker: run.worker });
      begin();
      continue;
    }
    run.at = take(step, run);
    run.taken += 1;
    if (run.taken >= step.times) {
      run.step += 1;
      run.taken = 0;
    }
    atWork.push(run);
  }
  const busy = (all: readonly Line[]) =>
    all.reduce((sum, { busyMs }) => sum + busyMs, 0) / (all.length * endedMs);
  return {
    seconds: endedMs / 1_000,
    longestWaitSeconds: longestWaitMs / 1_000,
    workersBusy: busy(workers),
    databaseBusy: busy(database),
  };
}

function lines(count: number): Line[] {
  return Array.from({ length: count }, () => ({ freeAt: 0, busyMs: 0 }));
}

function at(all: readonly Line[], place: number): Line {
  const line = all[place];
  if (line === undefined) throw new RangeError(`There is no line ${place}`);
  return line;
}

function firstFree(all: readonly Line[]): Line {
  return all.reduce((first, one) => (one.freeAt < first.freeAt ? one : first));
}

/** Returns the time at which the resource has finished this additional work. */
function serve(line: Line, from: number, ms: number): number {
  if (ms === 0) return from;
  line.freeAt = Math.max(line.freeAt, from) + ms;
  line.busyMs += ms;
  return line.freeAt;
}
