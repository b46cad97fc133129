import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchSize } from '../../src/credits/in-flight.ts';
import { judgeLosses } from '../../src/credits/judge-lost-responses.ts';

const charged = (credits: number) => ({ charged: credits, why: expect.any(String) });

/**
 * Finds which lost requests of these sizes were charged. The bucket contained a thousand credits before the requests.
 */
const judge = (items: readonly number[], balance: number, meanwhile: readonly number[] = []) =>
  judgeLosses(items, { before: 1_000, meanwhile, balance });

describe('a single lost request', () => {
  it('was not charged if the balance is the same', () => {
    expect(judge([100], 1_000)).toEqual([{ charged: 0 }]);
  });

  it('was charged what is gone, also if it was cut short', () => {
    expect(judge([100], 900)).toEqual([charged(100)]);
    expect(judge([100], 960)).toEqual([charged(40)]);
  });

  it('is not taken for free in a bucket that was topped up by what had been charged', () => {
    expect(judge([100], 1_000, [900, 900])).toEqual([charged(100)]);
    expect(judge([100], 1_000, [1_100, 1_000])).toEqual([charged(100)]);
    expect(judge([100], 1_000, [1_000, 1_000])).toEqual([{ charged: 0 }]);
  });

  it('counts in full if credits were bought that may hide a part of it', () => {
    expect(judge([100], 1_000, [960])).toEqual([charged(100)]);
    expect(judge([100], 980, [1_040, 980])).toEqual([charged(100)]);
  });

  it('counts in full if something else has changed the balance', () => {
    expect(judge([100], 850)).toEqual([charged(100)]);
    expect(judge([100], 1_500)).toEqual([charged(100)]);
  });
});

describe('several lost requests', () => {
  const sizes = [100, 99, 98];

  it('were not charged if nothing is gone', () => {
    expect(judge(sizes, 1_000, [1_000])).toEqual([{ charged: 0 }, { charged: 0 }, { charged: 0 }]);
  });

  it('were all charged if all of it is gone', () => {
    expect(judge(sizes, 703, [800, 703])).toEqual([charged(100), charged(99), charged(98)]);
  });

  it('are named by what is gone', () => {
    expect(judge(sizes, 902)).toEqual([{ charged: 0 }, { charged: 0 }, charged(98)]);
    expect(judge(sizes, 901)).toEqual([{ charged: 0 }, charged(99), charged(0)]);
  });

  it('are not proved free where a credit of another user would make another of them fit', () => {
    expect(judge([100, 99], 900)).toEqual([charged(100), charged(0)]);
  });

  it('are not proved free if two sets of them fit, or none', () => {
    expect(judge([60, 40, 100], 900)).toEqual([charged(60), charged(40), charged(0)]);
    expect(judge([100, 99], 950)).toEqual([charged(50), charged(0)]);
    expect(judge([100, 99], 1_200)).toEqual([charged(100), charged(99)]);
  });

  it('are not proved free if less was seen before the others had come back than those explain', () => {
    const seen = (balance: number, beside: readonly number[]) => {
      const others = beside.reduce((sum, each) => sum + each, 0);
      const glances = [{ balance, before: 1_000 + others, beside }];
      return judgeLosses([100], { before: 1_000, meanwhile: [], glances, balance: 1_000 });
    };
    // At each of these balances, the service has charged for one or both of the other requests.
    for (const balance of [1_197, 1_099, 1_098, 1_000]) {
      expect(seen(balance, [99, 98])).toEqual([{ charged: 0 }]);
    }
    for (const balance of [1_097, 999, 998, 900]) {
      expect(seen(balance, [99, 98])).toEqual([charged(100)]);
    }
    expect(seen(900, [])).toEqual([charged(100)]);
  });

  it('are distinguished although one that was charged was seen before the others had come back', () => {
    const glances = [{ balance: 801, before: 1_000, beside: [100] }];
    const readings = { before: 900, meanwhile: [], glances, balance: 801 };
    expect(judgeLosses([100, 99], readings)).toEqual([{ charged: 0 }, charged(99)]);
  });

  it('are not proved free in a bucket that came to its end, where each may have been cut short', () => {
    const readings = { before: 99, meanwhile: [], balance: 0 };
    expect(judgeLosses([100, 99], readings)).toEqual([charged(0), charged(99)]);
  });

  it('are not proved free in a bucket that was topped up meanwhile', () => {
    expect(judge([100, 99], 901, [801])).toEqual([charged(100), charged(99)]);
  });
});

/** Describes an event of a key. A submission is sent, charged, answered or lost, or a different tool spends credits. */
interface Step {
  kind: 'send' | 'answer' | 'lose' | 'foreign';
  choice: number;
  isCharged: boolean;
}

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('send', 'send', 'answer', 'answer', 'lose', 'foreign'),
    choice: fc.nat(1_000),
    isCharged: fc.boolean(),
  }),
  { maxLength: 60 },
);

interface Batch {
  size: number;
  credits: number;
}

/** Simulates the steps as the protocol requires. Submissions that are open at the end belong to a killed process. */
function play(script: readonly Step[], full: number, bucket: number, isForeign: boolean) {
  let balance = bucket;
  let carried = bucket;
  const open: Batch[] = [];
  const lost: Batch[] = [];
  for (const { kind, choice, isCharged } of script) {
    const all = [...open, ...lost];
    if (kind === 'foreign' && isForeign) balance -= Math.min(balance, choice % (full + 5));
    // After a lost response, donor-sync sends nothing more.
    if (kind === 'send' && open.length < 6 && lost.length === 0) {
      const sizes = all.map(({ size }) => size);
      const size = batchSize(1 + (choice % (2 * full)), sizes, full);
      if (size === 0) continue;
      // If the bucket runs out of credits, the service accepts only part of a request.
      const credits = isCharged ? Math.min(size, balance) : 0;
      balance -= credits;
      open.push({ size, credits });
    }
    if (open.length === 0) continue;
    const index = choice % open.length;
    if (kind === 'lose') lost.push(...open.splice(index, 1));
    if (kind === 'answer') for (const { credits } of open.splice(index, 1)) carried -= credits;
  }
  return { lost: [...lost, ...open], carried, balance };
}

describe('in any order of sending, answers, losses, kills and spending by others', () => {
  const nights = fc.record({
    script: steps,
    full: fc.constantFrom(3, 8, 100),
    bucket: fc.constantFrom(5, 250, 20_000),
    isForeign: fc.boolean(),
  });

  it('no request counts as free that was charged', () => {
    fc.assert(
      fc.property(nights, ({ script, full, bucket, isForeign }) => {
        const { lost, carried, balance } = play(script, full, bucket, isForeign);
        const items = lost.map(({ size }) => size);
        const losses = judgeLosses(items, { before: carried, meanwhile: [balance], balance });
        for (const [index, { credits }] of lost.entries()) {
          if (credits > 0) expect(losses[index]).toHaveProperty('why');
        }
      }),
      { numRuns: 20_000 },
    );
  });

  it('what counts as charged is what is gone, where nothing else has changed the balance', () => {
    fc.assert(
      fc.property(nights, ({ script, full, bucket }) => {
        const { lost, carried, balance } = play(script, full, bucket, false);
        const items = lost.map(({ size }) => size);
        const losses = judgeLosses(items, { before: carried, meanwhile: [balance], balance });
        const total = losses.reduce((sum, loss) => sum + loss.charged, 0);
        expect(total).toBe(lost.reduce((sum, { credits }) => sum + credits, 0));
      }),
      { numRuns: 5_000 },
    );
  });

  it('full batches that are open together have sums that name them', () => {
    const sizes: number[] = [];
    for (let slot = 0; slot < 6; slot += 1) sizes.push(batchSize(1_000, sizes));
    expect(sizes).toEqual([100, 99, 98, 96, 92, 84]);
    const sums = Array.from({ length: 64 }, (_, set) =>
      sizes.reduce((sum, size, index) => sum + ((set >> index) & 1) * size, 0),
    );
    expect(new Set(sums).size).toBe(64);
  });
});
