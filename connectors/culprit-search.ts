/**
 * Which fields a refusal that names none is about. A CRM says so by what it takes: parts of the change
 * are written, by halves, until one field is left that it does not take; then the rest is written.
 */
export interface CulpritSearch {
  /** What is to be sent next; empty once the search is over. */
  probe: readonly string[];
  /** Fields of which one is to blame; the probe is a part of them, or all that waits. */
  bad: readonly string[];
  /** Fields that wait until a culprit is found. */
  waiting: readonly string[];
  written: readonly string[];
  /** Fields that are not written, because of them or together with them the change is refused. */
  culprits: readonly string[];
  /** False if only what is known already is tried. */
  mayNarrow: boolean;
}

/** Fields to blame for one refusal; what is refused without so many is not about fields. */
const MAX_CULPRITS = 2;

/** Begins with a change that was refused; `known` are fields that were to blame elsewhere. */
export function beginSearch(
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

/** The CRM took the probe. */
export function afterTaken(search: CulpritSearch): CulpritSearch {
  const { probe, bad, written } = search;
  return goOn({
    ...search,
    bad: bad.filter((name) => !probe.includes(name)),
    written: [...written, ...probe],
  });
}

/** The CRM refused the probe. */
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
    // All that is known of them is that one is to blame.
    if (!mayNarrow) return over(search, [...culprits, ...bad, ...waiting]);
    return { ...search, probe: bad.slice(0, Math.ceil(bad.length / 2)) };
  }
  const found = { ...search, bad: [], waiting: [], culprits: [...culprits, ...bad] };
  return { ...found, probe: waiting };
}

function over(search: CulpritSearch, culprits: readonly string[]): CulpritSearch {
  return { ...search, probe: [], bad: [], waiting: [], culprits: [...new Set(culprits)] };
}

/** What the searches of one connector learn while it is open, so that each culprit is found once. */
export interface Suspicions {
  /** Fields that were to blame, by the code of the refusal. */
  culprits: Map<string, Set<string>>;
  /** Searches in which no field could be written, by what the CRM said. */
  inVain: Map<string, number>;
  /** Requests that writing takes as a rule, and those that searches took besides. */
  usual: number;
  extra: number;
}

export function createSuspicions(): Suspicions {
  return { culprits: new Map(), inVain: new Map(), usual: 0, extra: 0 };
}

/** Requests that may be spent on finding culprits, whatever is written, and for each usual request. */
const EXTRA_REQUESTS = 16;
const EXTRA_PER_USUAL = 0.5;

/** Searches in vain after which a rule is taken for one that is about whole records. */
const MAX_IN_VAIN = 2;

/** Rules that are remembered. */
const MAX_RULES = 1_000;

/** What is known of a refusal: its code, and what the CRM said, by which rules differ. */
export interface RefusedBy {
  code: string;
  message: string;
}

/** A search for a refused change; null if it cannot, or must not, bring anything. */
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

/** Remembers what a search that is over has found. */
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
