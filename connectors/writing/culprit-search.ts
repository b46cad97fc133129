/**
 * Finds the fields that caused a rejection if the rejection names no field. The search writes one half of the change,
 * then one half of the rejected half, and so on. It ends when one field is left that the CRM does not accept. Then it
 * writes the rest.
 */
export interface CulpritSearch {
  /** The fields to send next. Empty once the search is over. */
  probe: readonly string[];
  /** At least one of these fields causes the rejection. */
  bad: readonly string[];
  /** Fields that wait until the search has found such a field. */
  waiting: readonly string[];
  written: readonly string[];
  /** Fields that are not written. Each of them, or several together, cause the change to be rejected. */
  culprits: readonly string[];
  /** False if only known fields are tried. */
  mayNarrow: boolean;
}

/**
 * How many fields can cause one rejection. If the cause would need more fields, fields are not the cause of the
 * rejection.
 */
const MAX_CULPRITS = 2;

/** Starts with a change that was rejected. `known` contains fields that have caused rejections elsewhere. */
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

/** Records that the CRM accepted the probe. */
export function afterTaken(search: CulpritSearch): CulpritSearch {
  const { probe, bad, written } = search;
  return goOn({
    ...search,
    bad: bad.filter((name) => !probe.includes(name)),
    written: [...written, ...probe],
  });
}

/** Records that the CRM rejected the probe. */
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
    // One of them causes the rejection, but it is unknown which one.
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
 * The knowledge that all searches of an open connector share. It ensures that each rejected field is found a single
 * time.
 */
export interface Suspicions {
  /** Fields that have caused rejections, by the code of the rejection. */
  culprits: Map<string, Set<string>>;
  /** The number of searches in which no field could be written, for each message of the CRM. */
  inVain: Map<string, number>;
  /** The usual number of requests for writing, and the number of additional requests for searches. */
  usual: number;
  extra: number;
}

export function createSuspicions(): Suspicions {
  return { culprits: new Map(), inVain: new Map(), usual: 0, extra: 0 };
}

/** The number of search requests that are always allowed, and the number for each usual request. */
const EXTRA_REQUESTS = 16;
const EXTRA_PER_USUAL = 0.5;

/** After this many failed searches, a rule is assumed to be about whole records. */
const MAX_IN_VAIN = 2;

/** The maximum number of rules that are remembered. */
const MAX_RULES = 1_000;

/** The known facts about a rejection. They are its code and the CRM's text, which distinguishes rules. */
export interface RefusedBy {
  code: string;
  message: string;
}

/** Returns a search for a rejected change, or null if a search is impossible or not allowed. */
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

/** Remembers the result of a finished search. */
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
