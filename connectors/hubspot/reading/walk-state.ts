/** The state of a reading of all contacts, and the functions that decide what to do after each page. */

import { type HubspotRecord, isRecordId } from '../record.ts';
import type { FoundPage } from '../search.ts';
import type { ListPage } from './list.ts';
import { ALL_IDS, type Ask, afterAnswer, isAnswerTo, type Span, without } from './spans.ts';

/** The position from which a reading of all contacts can continue. */
export interface WalkPosition {
  /** HubSpot's paging token for the list's next page, or null for the first page. */
  after: string | null;
  /** The ranges of IDs that have not been read yet, or null while only the list is read. */
  rest: readonly Span[] | null;
}

export interface WalkState {
  /**
   * The mode `timing` means that the duration of a page of the list is still unknown. The mode `list` means that only
   * the list is read. The mode `both` means that the list and searches are read.
   */
  mode: 'timing' | 'list' | 'both';
  after: string | null;
  /** The last ID that the list has returned, or null before its first page. */
  listedTo: bigint | null;
  /** The ranges of IDs that have not been read yet, lowest first. */
  spans: readonly Span[];
  isOver: boolean;
}

/**
 * The duration (ms) of a request above which searches make the reading faster. HubSpot's limit allows a page every 53
 * ms, but each page must wait for the previous page. If no duration is known yet, the first page of the list shows the
 * duration.
 */
const SLOW_MS = 120;

/**
 * Starts a reading of all contacts. The value of `fastestMs` is the duration of the fastest request so far, or
 * infinite.
 */
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

/** Returns the last ID on a page of the list, or null if the IDs on the page do not increase. */
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
