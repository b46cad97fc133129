/**
 * Uses the balance to decide whether requests with lost responses have cost credits. At the end, the key must have no
 * other open requests. All functions are pure.
 */

/** The result that the balance shows for a lost response. */
export type Loss = { charged: 0 } | { charged: number; why: string };

/** A balance reading while other requests than the lost ones were in flight. */
export interface Glance {
  balance: number;
  /** The balance known at that time. Does not include requests in flight. */
  before: number;
  /**
   * The cost of other requests, which may have been charged before or after the reading. The reading does not show
   * which.
   */
  beside: readonly number[];
}

export interface Readings {
  /** The last reading without open requests, minus later known costs. */
  before: number;
  /** The readings after the last request, in order. */
  meanwhile: readonly number[];
  /** Readings from before the last response. */
  glances?: readonly Glance[];
  /** The balance that two successive readings agree on. */
  balance: number;
}

/**
 * Judges each lost request. A request costs up to `items` credits, or fewer if the bucket is empty. If only one set of
 * requests matches the missing credits exactly, it was charged.
 *
 * A request counts as not charged only if it cannot have been charged. Others can spend from the same bucket, so they
 * may have caused the difference. So a request may have been charged unless it is larger than the missing amount. For
 * example, requests for 100 and for 99 credits are open. If 99 credits are missing, the request for 100 was not
 * charged. If 100 are missing, the request for 99 may have been charged, and someone else may have spent one credit.
 */
export function judgeLosses(items: readonly number[], readings: Readings): Loss[] {
  const losses = judgeAtRest(items, readings);
  const charged = losses.map((loss) => loss.charged).filter((credits) => credits > 0);
  // Purchases hide the same amount at the end, but earlier readings show it.
  const isExplained = (readings.glances ?? []).every(
    ({ balance, before, beside }) =>
      listSubsets([...beside, ...charged], before - balance).length > 0,
  );
  return isExplained ? losses : items.map((size) => ({ charged: size, why: DISTURBED }));
}

function judgeAtRest(items: readonly number[], readings: Readings): Loss[] {
  const { before, balance } = readings;
  const seen = [before, ...readings.meanwhile, balance];
  const lowest = Math.min(...seen.slice(1));
  const gone = before - lowest;
  // A charge and a purchase of the same size leave the balance unchanged.
  const hasRisen = seen.some((each, index) => index > 0 && each > (seen[index - 1] ?? each));
  if (gone === 0 && !hasRisen) return items.map(() => ({ charged: 0 }));
  const all = items.reduce((sum, each) => sum + each, 0);
  // A purchase can hide part of the cost, so the whole cost counts as charged.
  if (hasRisen || gone > all) return items.map((charged) => ({ charged, why: DISTURBED }));
  const fitting = listSubsets(items, gone);
  const [first] = fitting;
  if (first === undefined) return spreadOver(items, gone);
  return items.map((size, index) => {
    if (fitting.every((subset) => subset[index])) return { charged: size, why: describeLoss(size) };
    // In an empty bucket, part of any request may have been charged.
    const isProved = size > gone && lowest > 0 && !fitting.some((subset) => subset[index]);
    if (isProved) return { charged: 0 };
    return { charged: first[index] ? size : 0, why: AMBIGUOUS };
  });
}

const DISTURBED =
  'something else changed the balance in the meantime, so that nothing can be proved';

const AMBIGUOUS =
  'credits left the bucket while several responses were lost, and this request may have cost them';

function describeLoss(gone: number): string {
  return `${gone} credits left the bucket, and no response arrived`;
}

/** Divides the missing amount among the requests. If no sum matches, part of every request may have been charged. */
function spreadOver(items: readonly number[], gone: number): Loss[] {
  let left = gone;
  return items.map((size) => {
    const charged = Math.min(size, left);
    left -= charged;
    return { charged, why: describeLoss(gone) };
  });
}

/** Returns all selections of these sizes whose sum is `total`. */
function listSubsets(items: readonly number[], total: number): boolean[][] {
  const [size, ...others] = items;
  if (size === undefined) return total === 0 ? [[]] : [];
  const withIt =
    size > total ? [] : listSubsets(others, total - size).map((each) => [true, ...each]);
  const withoutIt = listSubsets(others, total).map((each) => [false, ...each]);
  return [...withIt, ...withoutIt];
}
