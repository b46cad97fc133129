/**
 * Decides from the balance whether requests with lost responses have cost credits. At the end, the key must have no
 * other open requests. All functions are pure.
 */

/** The result for a request with a lost response. */
export type Loss = { charged: 0 } | { charged: number; why: string };

/** A balance reading while requests were in flight whose responses were not lost. */
export interface Glance {
  balance: number;
  /** The balance that was known at that time, without the requests in flight. */
  before: number;
  /** The costs of other requests. The service may have charged them before or after the reading. */
  beside: readonly number[];
}

export interface Readings {
  /** The last reading without open requests, minus costs that became known later. */
  before: number;
  /** The readings after the last request, in order. */
  meanwhile: readonly number[];
  /** The readings from before the last response. */
  glances?: readonly Glance[];
  /** The balance on which two successive readings agree. */
  balance: number;
}

/**
 * Decides about each lost request. A request costs up to `items` credits, or fewer if the bucket is empty. If only one
 * combination of requests matches the missing credits exactly, these requests were charged.
 *
 * A request counts as not charged only if it cannot have been charged. Others can spend from the same bucket, so they
 * may have caused the difference. Therefore, a request may have been charged unless it is larger than the missing
 * amount. For example, requests for 100 and for 99 credits are open. If 99 credits are missing, the request for 100 was
 * not charged. If 100 are missing, the request for 99 may have been charged, and someone else may have spent one
 * credit.
 */
export function judgeLosses(items: readonly number[], readings: Readings): Loss[] {
  const losses = judgeAtRest(items, readings);
  const charged = losses.map((loss) => loss.charged).filter((credits) => credits > 0);
  // A purchase hides a charge of the same size at the end. However, earlier readings show the charge.
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
  // A charge and a purchase of the same size together leave the balance unchanged.
  const hasRisen = seen.some((each, index) => index > 0 && each > (seen[index - 1] ?? each));
  if (gone === 0 && !hasRisen) return items.map(() => ({ charged: 0 }));
  const all = items.reduce((sum, each) => sum + each, 0);
  // A purchase can hide a part of the cost, so the whole cost counts as charged.
  if (hasRisen || gone > all) return items.map((charged) => ({ charged, why: DISTURBED }));
  const fitting = listSubsets(items, gone);
  const [first] = fitting;
  if (first === undefined) return spreadOver(items, gone);
  return items.map((size, index) => {
    if (fitting.every((subset) => subset[index])) return { charged: size, why: describeLoss(size) };
    // If the bucket was empty, a part of any request may have been charged.
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

/**
 * Divides the missing amount among the requests. If no combination matches, a part of every request may have been
 * charged.
 */
function spreadOver(items: readonly number[], gone: number): Loss[] {
  let left = gone;
  return items.map((size) => {
    const charged = Math.min(size, left);
    left -= charged;
    return { charged, why: describeLoss(gone) };
  });
}

/** Returns all combinations of these sizes whose sum is `total`. */
function listSubsets(items: readonly number[], total: number): boolean[][] {
  const [size, ...others] = items;
  if (size === undefined) return total === 0 ? [[]] : [];
  const withIt =
    size > total ? [] : listSubsets(others, total - size).map((each) => [true, ...each]);
  const withoutIt = listSubsets(others, total).map((each) => [false, ...each]);
  return [...withIt, ...withoutIt];
}
