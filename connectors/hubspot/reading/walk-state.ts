/** Where a walk through all contacts stands, and what follows from each page: decisions only. */

import { type HubspotRecord, isRecordId } from '../record.ts';
import type { FoundPage } from '../search.ts';
import type { ListPage } from './list.ts';
import { ALL_IDS, type Ask, afterAnswer, isAnswerTo, type Span, without } from './spans.ts';

/** Where a walk can go on. */
export interface WalkPosition {
  /** HubSpot's word for where the next page of the list begins; null for the first. */
  after: string | null;
  /** The ids that are still to come; null as long as the list alone is walked. */
  rest: readonly Span[] | null;
}

export interface WalkState {
  /**
   * `timing`: it is not known yet how long pages of the list take; `list`: it alone is walked;
   * `both`: searches have joined.
   */
  mode: 'timing' | 'list' | 'both';
  after: string | null;
  /** The last id of the list so far; null before its first page. */
  listedTo: bigint | null;
  /** The ids that are still to come, the lowest first. */
  spans: readonly Span[];
  isOver: boolean;
}

/**
 * Searches join where no call has taken less than this: HubSpot's limit allows a page in 53 ms, but the next
 * one can only be asked for when one is there. Before any call it is not known until the list's first page.
 */
const SLOW_MS = 120;

/** `fastestMs`: the least time that any call has taken so far; without one it is infinite. */
export function startWalk(
  { after, rest }: WalkPosition,
  maySearch: boolean,
  fastestMs: number,
): WalkState {
  const isSlow = rest !== null || (Number.isFinite(fastestMs) && fastestMs >= SLOW_MS);
  return {
    mode: maySearch ? (isSlow ? 'both' : 'timing') : 'list',
    after,
    listedTo: null,
    spans: rest ?? [ALL_IDS],
    isOver: false,
  };
}

export function getPosition({ mode, after, spans }: WalkState): WalkPosition {
  return { after, rest: mode === 'both' ? spans : null };
}

/** Whether the next page of the list brings anything that is still to come. */
export function isListNext({ mode, listedTo, spans }: WalkState): boolean {
  return mode !== 'both' || listedTo === null || spans[0]?.from === listedTo;
}

export function afterListed(
  state: WalkState,
  { page: { records, next }, fastestMs }: { page: ListPage; fastestMs: number },
): WalkState {
  const listedTo = findHighestId(records, state.listedTo);
  if (listedTo === null || state.mode === 'list') {
    return { ...state, mode: 'list', after: next, isOver: next === null };
  }
  const spans = without(state.spans, 0n, listedTo);
  const isOver = next === null || (state.mode === 'both' && spans.length === 0);
  const mode = state.mode === 'timing' ? modeAfter(fastestMs) : state.mode;
  return { mode, after: next, listedTo, spans, isOver };
}

function modeAfter(fastestMs: number): WalkState['mode'] {
  return fastestMs < SLOW_MS ? 'list' : 'both';
}

/** The last id of a page of the list; null if its ids do not rise. */
function findHighestId(records: readonly HubspotRecord[], listedTo: bigint | null): bigint | null {
  let highest = listedTo;
  for (const { id } of records) {
    if (!isRecordId(id) || (highest !== null && BigInt(id) <= highest)) return null;
    highest = BigInt(id);
  }
  return highest;
}

export function afterFound(
  state: WalkState,
  { ask, page: { records, total, isLast } }: { ask: Ask; page: FoundPage },
): WalkState {
  if (state.mode !== 'both') return state;
  const ids = records.flatMap(({ id }) => (isRecordId(id) ? [BigInt(id)] : []));
  if (ids.length < records.length || !isAnswerTo(ask, ids)) return { ...state, mode: 'list' };
  const spans = afterAnswer(state.spans, ask, { ids, total, isLast });
  return { ...state, spans, isOver: spans.length === 0 };
}
