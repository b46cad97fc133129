import { describe, expect, it } from 'vitest';
import { stepsOf, timesOf } from '../../bench/scale/calibrate.ts';
import { forecastNight } from '../../bench/scale/model.ts';

const IDLE = { waitMs: 0, workerMs: 0, databaseMs: 0, requests: 0 };
const PARK = { workers: 2, runsAtOnce: 2, databaseCores: 2, requestsPerSecond: 10 };
const WORK = { integrations: 8, dueWithinMs: 0, integrationsAKey: 1 };

describe('the model of a night', () => {
  it('has as many runs at once as there are places', () => {
    const steps = [{ ...IDLE, waitMs: 1_000, times: 5 }];
    const { seconds, longestWaitSeconds } = forecastNight({ ...WORK, steps }, PARK);
    expect({ seconds, longestWaitSeconds }).toEqual({ seconds: 10, longestWaitSeconds: 5 });
  });

  it('lets the processor of a worker do one thing at a time', () => {
    const steps = [{ ...IDLE, workerMs: 100, times: 10 }];
    const forecast = forecastNight({ ...WORK, steps }, PARK);
    expect(forecast.seconds).toBeCloseTo(4);
    expect(forecast.workersBusy).toBeCloseTo(1);
  });

  it('divides the database among all workers', () => {
    const steps = [{ ...IDLE, databaseMs: 100, times: 10 }];
    const forecast = forecastNight({ ...WORK, steps }, PARK);
    expect(forecast.seconds).toBeCloseTo(4);
    expect(forecast.databaseBusy).toBeCloseTo(1);
  });

  it('keeps the pace of a key, however many integrations have it', () => {
    const steps = [{ ...IDLE, requests: 1, times: 10 }];
    expect(forecastNight({ ...WORK, steps }, PARK).seconds).toBeCloseTo(2);
    expect(forecastNight({ ...WORK, integrationsAKey: 8, steps }, PARK).seconds).toBeCloseTo(8);
  });

  it('begins each run when it is due', () => {
    const steps = [{ ...IDLE, waitMs: 1_000, times: 1 }];
    const { seconds } = forecastNight({ ...WORK, dueWithinMs: 80_000, steps }, PARK);
    expect(seconds).toBe(71);
  });

  it('foretells the nights that its times are from', () => {
    const night = (seconds: number, workerMs: number) => ({
      ...{ seconds, workerMs, databaseMs: workerMs / 2, commits: 0, loggedBytes: 0 },
      ...{ paidTwice: 0, bytesAContact: 0 },
    });
    const few = { integrations: 6, contacts: 100, night: night(90, 6_000) };
    const many = { integrations: 6, contacts: 500, night: night(300, 24_000) };
    const times = timesOf(few, many);
    const alone = { workers: 1, runsAtOnce: 1, databaseCores: 1, requestsPerSecond: 10 };
    for (const { integrations, contacts, night: measured } of [few, many]) {
      const work = { ...WORK, integrations, steps: stepsOf(times, contacts) };
      expect(forecastNight(work, alone).seconds).toBeCloseTo(measured.seconds, 0);
    }
  });
});
