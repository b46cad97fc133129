/** Stores which ranges of IDs a reading of all contacts has not read yet, and chooses the next search. */

/**
 * A range of IDs that have not been read yet, above `from` and below `to`. If `to` is null, there is no upper limit.
 */
export interface Span {
  from: bigint;
  to: bigint | null;
  /** The estimated number of contacts in the range, or null before the first search. */
  left: number | null;
}

/** A search for contacts in a range of IDs, in descending order. The search skips as many results as `offset` says. */
export interface Ask {
  from: bigint;
  to: bigint | null;
  offset: number;
}

/** The result of a search. */
export interface Answer {
  /** The IDs in descending order. */
  ids: readonly bigint[];
  /** The total number of results of the search. */
  total: number;
  /** True if the search has no results after these results. */
  isLast: boolean;
}

export const ALL_IDS: Span = { from: 0n, to: null, left: null };

/** The number of results on a page of a search. HubSpot sets this limit. */
export const SEARCH_PAGE_SIZE = 200;

/**
 * The highest offset of a search. HubSpot never returns more than the first 10,000 results of a search. The offset
 * leaves room for the last page.
 */
const MAX_OFFSET = 10_000 - SEARCH_PAGE_SIZE;

/** The minimum number of contacts in a range that is divided. A smaller range is read with consecutive searches. */
const MIN_DIVIDED = 4 * SEARCH_PAGE_SIZE;

/**
 * Returns the ranges without the IDs from `lowest` to `highest`, both inclusive. If `highest` is null, there is no
 * upper limit.
 */
export function without(
  spans: readonly Span[],
  lowest: bigint,
  highest: bigint | null,
): readonly Span[] {
  return spans.flatMap(({ from, to, left }) => {
    const isAbove = highest !== null && highest <= from;
    const isBelow = to !== null && to <= lowest;
    if (isAbove || isBelow) return [{ from, to, left }];
    const below = from + 1n < lowest ? [{ from, to: lowest, left }] : [];
    const hasAbove = highest !== null && (to === null || highest + 1n < to);
    return hasAbove ? [...below, { from: highest, to, left }] : below;
  });
}

/** Returns the ranges that remain after a search. A search returns all contacts between any two IDs in its result. */
export function afterAnswer(
  spans: readonly Span[],
  ask: Ask,
  { ids, total, isLast }: Answer,
): readonly Span[] {
  const [first] = ids;
  const last = isLast ? ask.from + 1n : ids.at(-1);
  const isBeyond = first === undefined && ask.offset > 0;
  if (isBeyond || last === undefined) {
    // The range contains fewer contacts than estimated.
    return spans.map((span) => (span.to === ask.to ? { ...span, left: total } : span));
  }
  const upperEnd = ask.to === null ? null : ask.to - 1n;
  const highest = ask.offset === 0 || first === undefined ? upperEnd : first;
  return without(spans, last, highest).map((span) => {
    if (span.to === last) return { ...span, left: Math.max(0, total - ask.offset - ids.length) };
    return ask.offset > 0 && span.from === highest ? { ...span, left: ask.offset } : span;
  });
}

/**
 * Returns the next search, or null if no search is needed. Searches start with the highest IDs, because the list starts
 * with the lowest IDs. Large ranges are divided, so that several searches can run at the same time. The results at the
 * chosen offset become the highest IDs of the lower part. A range is divided at an offset that the searches reach soon.
 * If the offset were higher, the list would read these contacts first.
 */
export function nextAsk(spans: readonly Span[], asked: readonly Ask[]): Ask | null {
  const underWay = (span: Span, isTop: boolean) =>
    asked.some(({ to, offset }) => to === span.to && (offset === 0) === isTop);
  const top = spans.findLast((span) => !underWay(span, true));
  if (top !== undefined) return { from: top.from, to: top.to, offset: 0 };
  const divided = spans.findLast(
    (span) => (span.left ?? 0) >= MIN_DIVIDED && !underWay(span, false),
  );
  if (divided === undefined) return null;
  const offset = Math.min(findMiddle(divided.left ?? 0), asked.length * MIN_DIVIDED);
  return { from: divided.from, to: divided.to, offset };
}

function findMiddle(count: number): number {
  const middle = Math.floor(count / 2 / SEARCH_PAGE_SIZE) * SEARCH_PAGE_SIZE;
  return Math.min(MAX_OFFSET, middle);
}

/**
 * Returns true if the result matches its search. If the result does not match, a gap between IDs does not mean that
 * there are no contacts in the gap.
 */
export function isAnswerTo(ask: Ask, ids: readonly bigint[]): boolean {
  return ids.every((id, at) => {
    const above = ids[at - 1] ?? ask.to;
    return id > ask.from && (above === null || id < above);
  });
}
