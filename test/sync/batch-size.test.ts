import { describe, expect, it } from 'vitest';
import { planBatch } from '../../src/sync/delivery/batch-plan.ts';

describe('planBatch', () => {
  const salesforce = { preferred: 200, bulk: 2_000, max: 100_000 };

  it("makes a request's worth while few contacts are to come", () => {
    expect(planBatch(salesforce, 3_999).size).toBe(200);
    expect(planBatch({ preferred: 500, bulk: null, max: 1_000 }, 1_000_000).size).toBe(500);
  });

  it('makes batches for the way for many when it pays, and waits longer for them', () => {
    const few = planBatch(salesforce, 10);
    const many = planBatch(salesforce, 100_000);
    expect(many.size).toBe(4_000);
    expect(many.patienceMs).toBeGreaterThan(few.patienceMs);
  });

  it('never gives the CRM more than it takes', () => {
    expect(planBatch({ ...salesforce, max: 3_000 }, 100_000).size).toBe(3_000);
  });
});
