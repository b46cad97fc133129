/** Decides which IDs a reading of all contacts still lacks, and which search is next. */

/** The IDs above `from` and below `to` that have not been read yet. If `to` is null, there is no upper limit. */
export interface Span {
  from: bigint;
  to: bigint | null;
  /** An estimate from a search, or null before the first one. */
  left: number | null;
}

/** A search among the IDs of a span, in descending order. It skips the first `offset` results. */
export interface Ask {
  from: bigint;
  to: bigint | null;
  offset: number;
}

/** Result of a search. */
export interface Answer {
  /** In descending order. */
  ids: readonly bigint[];
  /** The total number of results of the search. */
  total: number;
  /** True if there are no results below these. */
  isLast: boolean;
}

export const ALL_IDS: Span = { from: 0n, to: null, left: null };

/** How many results one search returns, which is HubSpot's maximum. */
export const SEARCH_PAGE_SIZE = 200;

/** A search never shows more than its first 10,000 results. This number leaves room for the last page. */
const MAX_OFFSET = 10_000 - SEARCH_PAGE_SIZE;

/** A span with fewer contacts is read with consecutive searches. */
const MIN_DIVIDED = 4 * SEARCH_PAGE_SIZE;

/** Returns the spans excluding the IDs from `lowest` to `highest`, both inclusive. Null means no upper limit. */
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

/** Returns the spans that remain after a search. A search returns all contacts between any two of its IDs. */
export function afterAnswer(
  spans: readonly Span[],
  ask: Ask,
  { ids, total, isLast }: Answer,
): readonly Span[] {
  const [first] = ids;
  const last = isLast ? ask.from + 1n : ids.at(-1);
  const isBeyond = first === undefined && ask.offset > 0;
  if (isBeyond || last === undefined) {
    // Fewer are left than expected.
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
 * Null if no search is needed. The highest IDs come first, because the list starts with the lowest. A search takes
 * long, so large spans are divided. The deeper results become the top of the lower part. The dividing point is one that
 * the searches reach soon. Otherwise the list would arrive there first.
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

/** True if a result matches its search. If it does not match, gaps prove nothing. */
export function isAnswerTo(ask: Ask, ids: readonly bigint[]): boolean {
  return ids.every((id, at) => {
    const above = ids[at - 1] ?? ask.to;
    return id > ask.from && (above === null || id < above);
  });
}
