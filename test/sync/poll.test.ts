import { expect, it } from 'vitest';
import { JOB_AGE_LIMIT_MS, sortByState } from '../../src/sync/poll.ts';

const NOTHING = { completed: [], failed: [], vanished: [], tooOld: [] };
const now = Date.parse('2026-11-20T02:00:00Z');
const job = { trackingId: 'old', jobId: 'a'.repeat(32), submittedAt: now - JOB_AGE_LIMIT_MS - 1 };

it('gives up a job that runs for more than a day, but not at first sight', () => {
  expect(sortByState([job], new Map(), { now, ageCounts: false })).toEqual(NOTHING);
  expect(sortByState([job], new Map(), { now, ageCounts: true })).toEqual({
    ...NOTHING,
    tooOld: ['old'],
  });
});

it('never gives up a job of less than a day', () => {
  const young = { ...job, submittedAt: now - JOB_AGE_LIMIT_MS };
  expect(sortByState([young], new Map(), { now, ageCounts: true })).toEqual(NOTHING);
});
