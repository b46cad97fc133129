/**
 * Decides from the balance whether requests with lost responses have cost credits. The key must not have other open
 * requests at the end. All functions are pure.
 */

/** What the balance shows about a lost response. */
export type Loss =
  | { charged: 0 }
  /** This many credits are gone, or it cannot be shown that they are not. */
  | { charged: number; why: string };

/** A reading of the balance while other requests than the lost ones were in flight. */
export interface Glance {
  balance: number;
  /** The balance known at that time. It does not include anything in flight. */
  before: number;
  /** What the other requests have cost since, or had already cost. */
  beside: readonly number[];
}

/** The known readings of one bucket. */
export interface Readings {
  /** The last reading while the key had no open requests, minus the cost of requests that were answered since. */
  before: number;
  /** The readings after the last request, in order. */
  meanwhile: readonly number[];
  /** The readings before the last request was answered. */
  glances?: readonly Glance[];
  /** The balance on which two successive readings agreed at the end. */
  balance: number;
}

/**
 * Judges each lost request. A request can cost up to `items` credits, or fewer if the bucket runs out. If only one set
 * of requests has exactly the size of the missing credits, these requests were charged.
 *
 * A request counts as not charged only if it cannot have been charged. Others can spend from the same bucket, so the
 * missing credits are not necessarily ours. A request may therefore have been charged unless it is larger than the
 * missing amount. For example, a request for 100 credits and a request for 99 are open. If 99 credits are missing, the
 * request for 100 was not charged. If 100 are missing, they may be the 99 of the other request and one credit that
 * someone else spent.
 */
export function judgeLosses(items: readonly number[], readings: Readings): Loss[] {
  const losses = judgeAtRest(items, readings);
  const charged = losses.map((loss) => loss.charged).filter((credits) => credits > 0);
  // Credits that are bought in the meantime hide the same amount at the end, but earlier readings show it.
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
  // If a bucket was charged and then topped up by the same amount, it shows the old balance.
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
    // If the bucket ran out, part of any request may have been charged.
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

/** Divides the missing amount among the requests. If no sum matches, part of each request may have been charged. */
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
