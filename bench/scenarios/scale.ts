/**
 * Measures the same syncs with 1, 2 and 4 workers, one Postgres server and a distant service. A model predicts these
 * results from shorter measurements. The model then predicts the syncs of a hundred thousand clients.
 */

import { availableParallelism } from 'node:os';
import { atLeast, atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import { type MeasuredNight, stepsOf, type Times, timesOf } from '../scale/calibrate.ts';
import { type Forecast, forecastNight } from '../scale/model.ts';
import { measureNight, type Night, RATE } from '../scale/night.ts';

export const scale: Scenario = {
  name: 'scale',
  title: 'nights on 1, 2 and 4 workers, service at 300 ms; then 100,000 integrations as a model',
  measure: measureScale,
};

const FAR = { latencyMs: 300, jobTimeMs: 4_000 };

/** The number of runs that each worker reserves for requests by users and webhooks. */
const KEPT = 1;

/**
 * The measured night. Each worker executes two scheduled runs at one time, so a single worker executes twelve runs one
 * after the other.
 */
const NIGHT = { integrations: 24, contacts: 200, runsAtOnce: 2 + KEPT };

/** A night in which the runs follow one another, which measures a single run and a single contact. */
const ALONE = { integrations: 6, workers: 1, runsAtOnce: 1 };

async function measureScale(): Promise<Figure[]> {
  const times = timesOf(await measureAlone(100), await measureAlone(500));
  const nights = new Map<number, Night>();
  for (const workers of [1, 2, 4]) {
    nights.set(workers, await measureNight({ ...NIGHT, ...FAR, workers }));
  }
  return [
    ...figuresOfTimes(times),
    ...[...nights].flatMap(([workers, night]) => figuresOfNight(workers, night, times)),
    ...figuresOfGrowth(nights),
    ...figuresOfMany(times, nights),
  ];
}

async function measureAlone(contacts: number): Promise<MeasuredNight> {
  const night = await measureNight({ ...ALONE, ...FAR, contacts });
  return { integrations: ALONE.integrations, contacts, night };
}

function figuresOfTimes({ aRun, aContact }: Times): Figure[] {
  return [
    plain('a run, whatever it finds', round(aRun.waitMs / 1_000), 's'),
    plain('  of the processor of a worker', round(aRun.workerMs), 'ms'),
    plain('  of that of Postgres', round(aRun.databaseMs), 'ms'),
    plain('a contact that is submitted', round(aContact.waitMs), 'ms'),
    plain('  of the processor of a worker', round(aContact.workerMs), 'ms'),
    plain('  of that of Postgres', round(aContact.databaseMs), 'ms'),
  ];
}

function figuresOfNight(workers: number, night: Night, times: Times): Figure[] {
  const { integrations, contacts, runsAtOnce } = NIGHT;
  const foretold = forecastNight(
    { integrations, dueWithinMs: 0, integrationsAKey: 1, steps: stepsOf(times, contacts) },
    { workers, runsAtOnce: runsAtOnce - KEPT, databaseCores: CORES, requestsPerSecond: RATE },
  );
  const all = integrations * contacts;
  const ratio = round(foretold.seconds / night.seconds);
  return [
    plain(`the night on ${workers}`, round(night.seconds), 's'),
    plain('  of the processor of workers, a contact', round(night.workerMs / all), 'ms'),
    plain('  of that of Postgres, a contact', round(night.databaseMs / all), 'ms'),
    { ...atLeast('  as the model predicts', ratio, '×', 0.85), goal: '0.85 to 1.15' },
    exactly('  contacts paid for twice', night.paidTwice, '', 0),
  ].map((figure) =>
    figure.name.includes('model') ? { ...figure, kept: ratio >= 0.85 && ratio <= 1.15 } : figure,
  );
}

function figuresOfGrowth(nights: ReadonlyMap<number, Night>): Figure[] {
  const [one, two, four] = [nights.get(1), nights.get(2), nights.get(4)];
  if (one === undefined || two === undefined || four === undefined) return [];
  return [
    atLeast('linear to 2', round(one.seconds / two.seconds / 2), '', 0.9),
    atLeast('linear to 4', round(one.seconds / four.seconds / 4), '', 0.9),
    atMost('processor on 4, compared with 1', round(four.workerMs / one.workerMs), '', 1.1),
  ];
}

/** The number of cores of this machine. */
const CORES = availableParallelism();

const MANY = 100_000;
const CONTACTS_OF_MANY = 20_000;
const HOUR_MS = 3_600_000;

/** The number of contacts, among 20,000, that are new or have changed since the previous night. */
const CHANGED_A_NIGHT = 200;

/** A database on the largest available machine, and workers with 20 runs each. */
const PARK = { runsAtOnce: 20 - KEPT, databaseCores: 32, requestsPerSecond: RATE };

function figuresOfMany(times: Times, nights: ReadonlyMap<number, Night>): Figure[] {
  const of = (integrations: number, contacts: number) => ({
    ...{ integrations, integrationsAKey: 1, dueWithinMs: HOUR_MS },
    steps: stepsOf(times, contacts),
  });
  const ordinary = [5, 10, 20, 40].flatMap((workers) =>
    figuresOfForecast(
      `an ordinary night on ${workers}`,
      forecastNight(of(MANY, CHANGED_A_NIGHT), { ...PARK, workers }),
    ),
  );
  const first = [1, 4, 16].flatMap((databases) =>
    figuresOfForecast(
      `first nights, ${databases} × 100 workers and a database`,
      forecastNight(of(MANY / databases, CONTACTS_OF_MANY), { ...PARK, workers: 100 }),
    ),
  );
  return [...ordinary, ...first, ...figuresOfStore(nights.get(1))];
}

function figuresOfStore(night: Night | undefined): Figure[] {
  if (night === undefined) return [];
  const { bytesAContact, loggedBytes, commits } = night;
  const contacts = NIGHT.integrations * NIGHT.contacts;
  const all = bytesAContact * MANY * CONTACTS_OF_MANY;
  return [
    plain('a contact in the database', round(bytesAContact / 1_000), 'kB'),
    plain('all contacts of 100,000 integrations', round(all / 1e12), 'TB'),
    plain('written ahead, a contact submitted', round(loggedBytes / contacts / 1_000), 'kB'),
    plain('transactions, a contact submitted', round(commits / contacts), ''),
  ];
}

function figuresOfForecast(name: string, forecast: Forecast): Figure[] {
  const { seconds, longestWaitSeconds, workersBusy, databaseBusy } = forecast;
  return [
    plain(`${name}: the night`, round(seconds / 3_600), 'h'),
    plain('  longest wait of a run', round(longestWaitSeconds / 3_600), 'h'),
    plain('  workers busy', round(workersBusy), ''),
    plain('  database busy', round(databaseBusy), ''),
  ];
}
