import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchSize, createLatencyMeter, submissionsAtOnce } from '../../src/credits/in-flight.ts';

describe('submissionsAtOnce', () => {
  it.each([
    [50, 1],
    [300, 1],
    [1_000, 2],
    [2_000, 3],
    [5_000, 6],
    [60_000, 6],
  ])('after answers in %s ms it is %s', (answeredMs, atOnce) => {
    expect(submissionsAtOnce({ answeredMs, waitingMs: 0 })).toBe(atOnce);
  });

  it('grows while an answer is waited for, also the first one', () => {
    expect(submissionsAtOnce({ answeredMs: 100, waitingMs: 3_000 })).toBe(5);
    expect(submissionsAtOnce({ answeredMs: null, waitingMs: 0 })).toBe(1);
    expect(submissionsAtOnce({ answeredMs: null, waitingMs: 1_000 })).toBe(2);
    expect(submissionsAtOnce({ answeredMs: null, waitingMs: 60_000 })).toBe(6);
  });
});

describe('the latency of submissions', () => {
  it('is that of the answers, with the last one counting half; what was not answered says nothing', () => {
    let nowMs = 0;
    const meter = createLatencyMeter({ monotonicMs: () => nowMs });
    meter.leaves('a');
    nowMs = 400;
    meter.leaves('b');
    expect(meter.latency()).toEqual({ answeredMs: null, waitingMs: 400 });
    meter.ends('a', true);
    expect(meter.latency()).toEqual({ answeredMs: 400, waitingMs: 0 });
    nowMs = 1_200;
    meter.ends('b', true);
    expect(meter.latency()).toEqual({ answeredMs: 600, waitingMs: 0 });
    meter.leaves('c');
    nowMs = 99_000;
    meter.ends('c', false);
    meter.ends('never left', true);
    expect(meter.latency()).toEqual({ answeredMs: 600, waitingMs: 0 });
  });
});

describe('batchSize', () => {
  it('is never one that is open, nor more than there are', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(300), sizes, fc.constantFrom(1, 5, 100), (available, open, full) => {
        const size = batchSize(available, open, full);
        expect(open).not.toContain(size);
        expect(size).toBeLessThanOrEqual(Math.min(available, full));
        if (available > 6 && full > 6) expect(size).toBeGreaterThan(0);
      }),
    );
  });
});
