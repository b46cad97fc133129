import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/outbound/retry.ts';
import { MAX_RETRY_AFTER_MS, retryDelayMs } from '../../src/partner/verdict.ts';

describe('retryDelayMs', () => {
  it('waits 2, 4, 8 and 16 seconds between the five tries of a throttled request', () => {
    const waits = [1, 2, 3, 4, 5].map((count) => retryDelayMs('throttled', count, null));
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, null]);
  });

  it('lets Retry-After win over the exponential wait, shorter or longer', () => {
    expect(retryDelayMs('throttled', 3, 500)).toBe(500);
    expect(retryDelayMs('throttled', 1, 90_000)).toBe(90_000);
  });

  it('gives up on a Retry-After that no run should sit through', () => {
    expect(retryDelayMs('throttled', 1, MAX_RETRY_AFTER_MS + 1)).toBeNull();
  });

  it('tries a documented 500 once more after a short delay', () => {
    expect([1, 2].map((count) => retryDelayMs('serverError', count, null))).toEqual([1_000, null]);
  });

  it('tries a free call that found no answer five times in all', () => {
    const waits = [1, 2, 3, 4, 5].map((count) => retryDelayMs('transient', count, null));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, null]);
  });

  it('never repeats what is final', () => {
    expect(retryDelayMs('final', 1, 1_000)).toBeNull();
  });
});

describe('retryAfterMs', () => {
  const nowMs = Date.parse('2026-11-20T02:00:00Z');

  it('reads seconds', () => {
    expect(retryAfterMs(new Headers({ 'retry-after': '7' }), nowMs)).toBe(7_000);
  });

  it('reads an HTTP date against this machine when the answer has no date', () => {
    const headers = new Headers({ 'retry-after': 'Fri, 20 Nov 2026 02:00:09 GMT' });
    expect(retryAfterMs(headers, nowMs)).toBe(9_000);
  });

  it('reads an HTTP date against the date of the answer, whose clock may be hours away', () => {
    const headers = new Headers({
      'retry-after': 'Fri, 20 Nov 2026 05:00:03 GMT',
      date: 'Fri, 20 Nov 2026 05:00:00 GMT',
    });
    expect(retryAfterMs(headers, nowMs)).toBe(3_000);
  });

  it('takes a date in the past as now', () => {
    const headers = new Headers({ 'retry-after': 'Fri, 20 Nov 2026 01:00:00 GMT' });
    expect(retryAfterMs(headers, nowMs)).toBe(0);
  });

  it('knows of no wait where the header is absent or makes no sense', () => {
    expect(retryAfterMs(new Headers(), nowMs)).toBeNull();
    expect(retryAfterMs(new Headers({ 'retry-after': 'soon' }), nowMs)).toBeNull();
  });
});
