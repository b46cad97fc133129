import { describe, expect, it } from 'vitest';
import { createBulkUsage } from '../../../../sandbox/salesforce/bulk/usage.ts';
import { aClock } from '../../../testbed/a-clock.ts';

const DAY_MS = 86_400_000;

describe('createBulkUsage', () => {
  it('refuses the query job after 10,000, until a day is over', () => {
    const clock = aClock();
    const usage = createBulkUsage(clock.read);
    for (let job = 0; job < 10_000; job += 1) usage.takeQueryJob();
    expect(() => usage.takeQueryJob()).toThrow('Max bulk v2 query jobs (10000) per 24 hrs');
    clock.advance(DAY_MS);
    usage.takeQueryJob();
    expect(usage.limits()['DailyBulkV2QueryJobs']).toEqual({ Max: 10_000, Remaining: 9999 });
  });

  it('counts a batch for every 10,000 uploaded rows, and takes no upload that needs more than are left', () => {
    const usage = createBulkUsage(aClock().read);
    usage.takeBatches(10_001);
    expect(usage.limits()['DailyBulkApiBatches']).toEqual({ Max: 15_000, Remaining: 14_998 });
    expect(() => usage.takeBatches(150_000_000)).toThrow('ApiBatchItems Limit exceeded.');
    expect(usage.limits()['DailyBulkApiBatches']).toEqual({ Max: 15_000, Remaining: 14_998 });
  });
});
