import { describe, expect, it } from 'vitest';
import { nextWaitMs } from '../../../connectors/salesforce/bulk/bulk-job.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('waiting for a job of the Bulk API', () => {
  it.each([SECOND, 5 * SECOND, 20 * SECOND, MINUTE, 2 * MINUTE])(
    'notices the end of a job of %i ms at most an eighth, or a second, later',
    (jobMs) => {
      const { noticedMs } = watch(jobMs);
      expect(noticedMs - jobMs).toBeLessThanOrEqual(Math.max(SECOND, jobMs / 8));
    },
  );

  it('costs few requests, however long the job takes', () => {
    expect(watch(SECOND).looks).toBeLessThan(8);
    expect(watch(10 * MINUTE).looks).toBeLessThan(80);
    expect(watch(60 * MINUTE).looks).toBeLessThan(300);
  });
});

function watch(jobMs: number): { looks: number; noticedMs: number } {
  let waitedMs = 0;
  let looks = 0;
  while (waitedMs < jobMs) {
    waitedMs += nextWaitMs(looks, waitedMs);
    looks += 1;
  }
  return { looks, noticedMs: waitedMs };
}
