/**
 * Finds the fields that caused a rejection if the rejection names no field. The search writes one half of the change,
 * then one half of the rejected half, until it has found the field. The search ends when only one field is left that
 * the CRM does not accept. After the search, donor-sync writes the remaining fields.
 */
export interface CulpritSearch {
  /** The fields that the next request writes. The list is empty when the search is over. */
  probe: readonly string[];
  /** Fields of which at least one causes the rejection. */
  bad: readonly string[];
  /** Fields that wait until the search has found the rejected field. */
  waiting: readonly string[];
  written: readonly string[];
  /** Fields that are not written. Each of these fields, or a combination of them, causes the rejection. */
  culprits: readonly string[];
  /** False if the search tries only fields that have caused rejections before. */
  mayNarrow: boolean;
}

/**
 * The maximum number of fields that can cause one rejection. If more fields would have to be omitted, the fields are
 * not the cause of the rejection.
 */
const MAX_CULPRITS = 2;

/** Starts the search for a rejected change. `known` contains fields that have caused rejections of other contacts. */
function beginSearch(
  fields: readonly string[],
  known: ReadonlySet<string>,
  mayNarrow: boolean,
): CulpritSearch {
  const unsuspected = fields.filter((name) => !known.has(name));
  const search = { bad: fields, waiting: [], written: [], culprits: [], mayNarrow };
  if (unsuspected.length > 0 && unsuspected.length < fields.length) {
    return { ...search, probe: unsuspected };
  }
  return goOn({ ...search, probe: [] });
}

/** Returns the next state of the search after the CRM has accepted the last request. */
export function afterTaken(search: CulpritSearch): CulpritSearch {
  const { probe, bad, written } = search;
  return goOn({
    ...search,
    bad: bad.filter((name) => !probe.includes(name)),
    written: [...written, ...probe],
  });
}

/** Returns the next state of the search after the CRM has rejected the last request. */
export function afterRefused(search: CulpritSearch): CulpritSearch {
  const { probe, bad, waiting, culprits, mayNarrow } = search;
  const isGivenUp = !mayNarrow || culprits.length >= MAX_CULPRITS;
  if (isGivenUp) return over(search, [...culprits, ...bad, ...waiting, ...probe]);
  const others = bad.filter((name) => !probe.includes(name));
  return goOn({ ...search, bad: probe, waiting: [...waiting, ...others] });
}

export function isOver({ probe }: CulpritSearch): boolean {
  return probe.length === 0;
}

function goOn(search: CulpritSearch): CulpritSearch {
  const { bad, waiting, culprits, mayNarrow } = search;
  if (bad.length > 1) {
    // One of these fields causes the rejection, but the search cannot find out which one.
    if (!mayNarrow) return over(search, [...culprits, ...bad, ...waiting]);
    return { ...search, probe: bad.slice(0, Math.ceil(bad.length / 2)) };
  }
  const found = { ...search, bad: [], waiting: [], culprits: [...culprits, ...bad] };
  return { ...found, probe: waiting };
}

function over(search: CulpritSearch, culprits: readonly string[]): CulpritSearch {
  return { ...search, probe: [], bad: [], waiting: [], culprits: [...new Set(culprits)] };
}

/**
 * Knowledge about rejections. All searches of an open connector share it. Therefore, each rejected field is searched
 * for only once.
 */
export interface Suspicions {
  /** For each error code, the fields that have caused rejections. */
  culprits: Map<string, Set<string>>;
  /** For each message of the CRM, the number of searches after which no field could be written. */
  inVain: Map<string, number>;
  /** The number of requests without searches, and the number of additional requests for searches. */
  usual: number;
  extra: number;
}

export function createSuspicions(): Suspicions {
  return { culprits: new Map(), inVain: new Map(), usual: 0, extra: 0 };
}

/**
 * The number of search requests that are always allowed, and the number of further search requests for each other
 * request.
 */
const EXTRA_REQUESTS = 16;
const EXTRA_PER_USUAL = 0.5;

/** The number of unsuccessful searches after which donor-sync assumes that a rule rejects whole records. */
const MAX_IN_VAIN = 2;

/** The maximum number of rules to remember. */
const MAX_RULES = 1_000;

/**
 * The facts about a rejection. The facts about a rejection are the error code and the CRM's text, which distinguishes
 * rules.
 */
export interface RefusedBy {
  code: string;
  message: string;
}

/** Returns a search for the cause of a rejection. Returns null if a search is impossible or not allowed. */
export function searchFor(
  { culprits, inVain, usual, extra }: Suspicions,
  { code, message }: RefusedBy,
  fields: readonly string[],
): CulpritSearch | null {
  const known = culprits.get(code) ?? new Set();
  const isHopeless = (inVain.get(`${code} ${message}`) ?? 0) >= MAX_IN_VAIN;
  const mayNarrow = !isHopeless && extra < EXTRA_REQUESTS + EXTRA_PER_USUAL * usual;
  const canTry = fields.some((name) => known.has(name));
  if (fields.length < 2 || (!mayNarrow && !canTry)) return null;
  const search = beginSearch(fields, known, mayNarrow);
  return isOver(search) ? null : search;
}

/** Stores the result of a finished search. */
export function learnFrom(
  { culprits: known, inVain }: Suspicions,
  { code, message }: RefusedBy,
  { culprits, written }: CulpritSearch,
): void {
  if (written.length === 0) {
    const rule = `${code} ${message}`;
    if (inVain.size < MAX_RULES) inVain.set(rule, (inVain.get(rule) ?? 0) + 1);
  } else if (culprits.length <= MAX_CULPRITS) {
    known.set(code, new Set([...(known.get(code) ?? []), ...culprits]));
  }
}
