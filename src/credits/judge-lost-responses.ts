/**
 * Whether requests whose answers were lost have cost credits, judged by the balance: pure. All of them were
 * open at the end, and nothing else of the key.
 */

/** What the balance says of a lost answer. */
export type Loss =
  | { charged: 0 }
  /** So many credits are gone, or it cannot be proved that they are not. */
  | { charged: number; why: string };

/** What a bucket was seen to hold while others than the lost requests were under way. */
export interface Glance {
  balance: number;
  /** As it was known then, with nothing counted of what was under way. */
  before: number;
  /** What those others have cost since, or had cost already. */
  beside: readonly number[];
}

/** What is known of a bucket. */
export interface Readings {
  /** Its last reading with nothing of the key open, less what the requests charged that were answered since. */
  before: number;
  /** What it was seen to hold after the last request, in order. */
  meanwhile: readonly number[];
  /** What was seen before the last of all requests had come back. */
  glances?: readonly Glance[];
  /** What two readings agreed on in the end. */
  balance: number;
}

/**
 * Judges each of the lost requests, of which one can cost `items` credits: all, or a part if the bucket
 * ends. What is gone names the requests that it is the sum of, if their sizes leave no choice.
 *
 * Not charged is only what cannot have been. Others may have spent from the same bucket, so that credits
 * can be gone that were none of ours: a request may be among what is gone unless it is larger than
 * that. With two of 100 and 99 open, 99 that are gone say that the one of 100 was not charged; 100
 * that are gone may be the 99 of the other and one that another user has spent.
 */
export function judgeLosses(items: readonly number[], readings: Readings): Loss[] {
  const losses = judgeAtRest(items, readings);
  const charged = losses.map((loss) => loss.charged).filter((credits) => credits > 0);
  // Bought meanwhile, credits hide as many at the end; what was seen before that tells of it.
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
  // A bucket that was charged and then topped up by as much shows the old balance.
  const hasRisen = seen.some((each, index) => index > 0 && each > (seen[index - 1] ?? each));
  if (gone === 0 && !hasRisen) return items.map(() => ({ charged: 0 }));
  const all = items.reduce((sum, each) => sum + each, 0);
  // What was bought may hide a part of what they have cost: all of it counts.
  if (hasRisen || gone > all) return items.map((charged) => ({ charged, why: DISTURBED }));
  const fitting = listSubsets(items, gone);
  const [first] = fitting;
  if (first === undefined) return spreadOver(items, gone);
  return items.map((size, index) => {
    if (fitting.every((subset) => subset[index])) return { charged: size, why: describeLoss(size) };
    // A bucket that came to its end may have been charged for a part of any of them.
    const isProved = size > gone && lowest > 0 && !fitting.some((subset) => subset[index]);
    if (isProved) return { charged: 0 };
    return { charged: first[index] ? size : 0, why: AMBIGUOUS };
  });
}

const DISTURBED = 'the balance changed by something else meanwhile, so that nothing can be proved';

const AMBIGUOUS =
  'credits left the bucket while several answers were lost, and they may have been for this one';

function describeLoss(gone: number): string {
  return `${gone} credits left the bucket, and no answer came back`;
}

/** Where no sum fits, each may have been charged for a part; together they cost what is gone. */
function spreadOver(items: readonly number[], gone: number): Loss[] {
  let left = gone;
  return items.map((size) => {
    const charged = Math.min(size, left);
    left -= charged;
    return { charged, why: describeLoss(gone) };
  });
}

/** All choices of these sizes whose sum is `total`. */
function listSubsets(items: readonly number[], total: number): boolean[][] {
  const [size, ...others] = items;
  if (size === undefined) return total === 0 ? [[]] : [];
  const withIt =
    size > total ? [] : listSubsets(others, total - size).map((each) => [true, ...each]);
  const withoutIt = listSubsets(others, total).map((each) => [false, ...each]);
  return [...withIt, ...withoutIt];
}
