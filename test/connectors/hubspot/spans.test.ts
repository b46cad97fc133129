import { describe, expect, it } from 'vitest';
import { type Ask, nextAsk, without } from '../../../connectors/hubspot/reading/spans.ts';
import {
  afterFound,
  afterListed,
  isListNext,
  startWalk,
  type WalkState,
} from '../../../connectors/hubspot/reading/walk-state.ts';
import type { HubspotRecord } from '../../../connectors/hubspot/record.ts';
import type { FoundPage } from '../../../connectors/hubspot/search.ts';

const LIST_PAGE = 100;
const SEARCH_PAGE = 200;

function recordOf(id: number): HubspotRecord {
  return { id: String(id), properties: {} };
}

/** Returns a generator of numbers from 0 up to 1 that are the same for the same seed. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns contact IDs with uneven gaps. An account that has grown for years has such gaps. */
function someIds(count: number, random: () => number): number[] {
  const ids = new Set<number>();
  while (ids.size < count) ids.add(Math.floor(10 ** (1 + random() * 11)));
  return [...ids].sort((a, b) => a - b);
}

function searched(ids: readonly number[], { from, to, offset }: Ask): FoundPage {
  const all = ids.filter((id) => id > from && (to === null || id < to)).reverse();
  const page = all.slice(offset, offset + SEARCH_PAGE);
  return { records: page.map(recordOf), total: all.length, isLast: page.length < SEARCH_PAGE };
}

/** Reads a slow account, whose responses arrive in any order, while its contacts are archived. */
function walk(count: number, atOnce: number, random: () => number) {
  let ids = someIds(count, random);
  const whole = [...ids];
  const archived = new Set<number>();
  const seen: number[] = [];
  let state: WalkState = startWalk({ after: null, rest: null }, true, Number.POSITIVE_INFINITY);
  let asked: { ask: Ask; page: FoundPage }[] = [];
  let list: { records: HubspotRecord[]; next: string | null } | null = null;
  let requests = 0;
  while (!state.isOver) {
    if (list === null && isListNext(state)) {
      const after = Number(state.after ?? 0);
      const page = ids.filter((id) => id > after).slice(0, LIST_PAGE);
      const isMore = page.at(-1) !== ids.at(-1);
      list = { records: page.map(recordOf), next: isMore ? String(page.at(-1)) : null };
      requests += 1;
    }
    while (state.mode === 'both' && asked.length < atOnce) {
      const ask = nextAsk(
        state.spans,
        asked.map((one) => one.ask),
      );
      if (ask === null) break;
      asked.push({ ask, page: searched(ids, ask) });
      requests += 1;
    }
    if (random() < 0.3) {
      const [gone] = ids.splice(Math.floor(random() * ids.length), 1);
      if (gone !== undefined) archived.add(gone);
      ids = [...ids];
    }
    const at = Math.floor(random() * (asked.length + (list === null ? 0 : 1)));
    const found = asked[at];
    if (found === undefined && list !== null) {
      seen.push(...list.records.map(({ id }) => Number(id)));
      state = afterListed(state, { page: list, fastestMs: 300 });
      list = null;
    } else if (found !== undefined) {
      seen.push(...found.page.records.map(({ id }) => Number(id)));
      state = afterFound(state, found);
      asked = asked.filter((one) => one !== found);
    }
    if (requests > whole.length + 10) throw new Error('The walk does not come to its end.');
  }
  return { whole, archived, seen, requests };
}

/**
 * Returns the time (ms) in which such an account is read. A page of the list takes 300 ms, and a search takes
 * `searchMs`. The limit is three searches per second.
 */
function timedWalk(count: number, searchMs: number): number {
  const ids = Array.from({ length: count }, (_, at) => at + 1);
  let state: WalkState = startWalk({ after: null, rest: null }, true, 300);
  let asked: { ask: Ask; endsMs: number }[] = [];
  let listEndsMs: number | null = null;
  for (let nowMs = 0; nowMs < count * 10; nowMs += 1) {
    if (listEndsMs === nowMs) {
      const from = Number(state.after ?? 0);
      const to = Math.min(from + LIST_PAGE, count);
      const page = {
        records: ids.slice(from, to).map(recordOf),
        next: to < count ? `${to}` : null,
      };
      state = afterListed(state, { page, fastestMs: 300 });
      listEndsMs = null;
    }
    for (const { ask } of asked.filter(({ endsMs }) => endsMs === nowMs)) {
      state = afterFound(state, { ask, page: searched(ids, ask) });
    }
    asked = asked.filter(({ endsMs }) => endsMs > nowMs);
    if (state.isOver) return nowMs;
    if (listEndsMs === null && isListNext(state)) listEndsMs = nowMs + 300;
    const under = asked.map(({ ask }) => ask);
    const ask = nowMs % 334 === 0 && asked.length < 8 ? nextAsk(state.spans, under) : null;
    if (ask !== null) asked.push({ ask, endsMs: nowMs + searchMs });
  }
  return Number.POSITIVE_INFINITY;
}

describe('a walk from both ends', () => {
  it.each([
    [330, 1.06],
    [400, 1.06],
    [650, 1.06],
    [1_500, 1.25],
  ])('keeps both ends busy until they meet, where a search takes %i ms (%d)', (searchMs, most) => {
    const together = 20_000 / (LIST_PAGE / 300 + SEARCH_PAGE / 334);
    expect(timedWalk(20_000, searchMs)).toBeLessThanOrEqual(together * most + searchMs);
  });

  it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
    'brings every contact that stays, in whatever order answers come (%i)',
    (seed) => {
      const random = chances(seed);
      const count = [0, 1, 150, 700, 5_000, 25_000][seed % 6] ?? 0;
      const { whole, archived, seen, requests } = walk(count, 1 + (seed % 8), random);
      const brought = new Set(seen);
      expect(whole.filter((id) => !brought.has(id) && !archived.has(id))).toEqual([]);
      // The list and the searches overlap by a few pages, which are read twice.
      expect(seen.length).toBeLessThanOrEqual(whole.length * 1.1 + 2_000);
      expect(requests).toBeLessThanOrEqual(whole.length / LIST_PAGE + 80);
    },
  );

  it('leaves it to the list where the list is quick', () => {
    const page = { records: [recordOf(1)], next: '1' };
    const state = startWalk({ after: null, rest: null }, true, Number.POSITIVE_INFINITY);
    expect(afterListed(state, { page, fastestMs: 50 }).mode).toBe('list');
    expect(afterListed(state, { page, fastestMs: 300 }).mode).toBe('both');
  });

  it('has searches come from the start where calls have taken long before', () => {
    const from = { after: null, rest: null };
    expect(startWalk(from, true, 300).mode).toBe('both');
    expect(startWalk(from, true, 50).mode).toBe('timing');
    expect(startWalk(from, true, Number.POSITIVE_INFINITY).mode).toBe('timing');
    expect(startWalk(from, false, 300).mode).toBe('list');
  });

  it.each([
    ['that do not rise', ['5', '4']],
    ['that were there before', ['1', '2']],
    ['that are no numbers', ['a', 'b']],
  ])('leaves it to the list alone if it has ids %s', (_, ids) => {
    const slow = (records: HubspotRecord[], next: string) => ({
      page: { records, next },
      fastestMs: 300,
    });
    let state = startWalk({ after: null, rest: null }, true, Number.POSITIVE_INFINITY);
    state = afterListed(state, slow([recordOf(1)], 'a'));
    state = afterListed(state, slow([recordOf(2)], 'b'));
    expect(state.mode).toBe('both');
    const odd = ids.map((id) => ({ id, properties: {} }));
    state = afterListed(state, slow(odd, 'c'));
    expect(state).toMatchObject({ mode: 'list', after: 'c', isOver: false });
    expect(afterListed(state, slow([], 'd'))).toMatchObject({ mode: 'list', isOver: false });
  });

  it('leaves it to the list alone if a search brings what was not asked for', () => {
    const both: WalkState = {
      ...startWalk({ after: '9', rest: null }, true, Number.POSITIVE_INFINITY),
      ...{ mode: 'both', listedTo: 9n, spans: [{ from: 9n, to: 100n, left: null }] },
    };
    const ask = { from: 9n, to: 100n, offset: 0 };
    for (const ids of [[120, 50], [50, 60], [5]]) {
      const page = { records: ids.map(recordOf), total: 3, isLast: false };
      expect(afterFound(both, { ask, page }).mode).toBe('list');
    }
  });

  it('takes ids out of the spans that hold them', () => {
    const spans = [
      { from: 10n, to: 20n, left: null },
      { from: 30n, to: null, left: null },
    ];
    const rest = (lowest: bigint, highest: bigint | null) =>
      without(spans, lowest, highest).map(({ from, to }) => [from, to]);
    expect(rest(20n, 30n)).toEqual([
      [10n, 20n],
      [30n, null],
    ]);
    expect(rest(15n, 40n)).toEqual([
      [10n, 15n],
      [40n, null],
    ]);
    expect(rest(0n, 18n)).toEqual([
      [18n, 20n],
      [30n, null],
    ]);
    expect(rest(0n, 19n)).toEqual([[30n, null]]);
    expect(rest(32n, null)).toEqual([
      [10n, 20n],
      [30n, 32n],
    ]);
    expect(rest(31n, null)).toEqual([[10n, 20n]]);
  });
});
