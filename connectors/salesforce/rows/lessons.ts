/** The knowledge about rejections without a field that the writes of an open connector share. */
import { createMutex, type Mutex } from '../../../src/core/parallel.ts';
import type { SalesforceFault } from '../errors.ts';

/**
 * How many records are in one request to the collections, which is Salesforce's maximum. The Bulk API also runs
 * triggers for this many.
 */
export const COLLECTION_ROWS = 200;

export interface Lessons {
  /** Sets of fields that have caused rejections, by the rule that rejected them. */
  byRule: Map<string, string[][]>;
  /** The same by the code alone, for rules whose message quotes values. */
  byCode: Map<string, string[][]>;
  /** Rules that rejected a change among others, and accepted it alone in a trial. */
  acceptsAlone: Set<string>;
  /** Searches that found no field, by rule. */
  inVain: Map<string, number>;
  /**
   * How many records are written together. It becomes smaller than Salesforce's maximum once the org's triggers have
   * exceeded a limit for one transaction.
   */
  mostRows: number;
  /** The number of requests that write, and of trials whose writes are rolled back. */
  usual: number;
  trials: number;
  /** False once a trial was not rolled back as it should have been. */
  areTrialsSafe: boolean;
  /** Only one search runs at a time, so the next one knows the result. */
  turn: Mutex;
}

export function createLessons(): Lessons {
  return {
    byRule: new Map(),
    byCode: new Map(),
    acceptsAlone: new Set(),
    inVain: new Map(),
    mostRows: COLLECTION_ROWS,
    usual: 0,
    trials: 0,
    areTrialsSafe: true,
    turn: createMutex(),
  };
}

/** How many rules are remembered, and how many sets of fields for each. */
const MAX_RULES = 1_000;
const MAX_SETS = 8;

/** The number of trials that may be made in any case, and for each request that writes. */
const FREE_TRIALS = 16;
const TRIALS_PER_REQUEST = 0.5;

/** After this many failed searches, a rule is assumed to be about whole records. */
const MAX_IN_VAIN = 2;

/** Returns the rule behind a rejection. Messages may quote amounts, which differ from contact to contact. */
export function toRule({ code, message }: Pick<SalesforceFault, 'code' | 'message'>): string {
  return `${code} ${message.replaceAll(/\d[\d.,]*/g, '#')}`;
}

/** Remembers that this many records exceeded a limit for one transaction. */
export function learnSize(lessons: Lessons, rows: number): void {
  lessons.mostRows = Math.max(1, Math.min(lessons.mostRows, Math.floor(rows / 2)));
}

/** True if one more trial may be made. */
export function mayTry({ usual, trials, areTrialsSafe }: Lessons): boolean {
  return areTrialsSafe && trials < FREE_TRIALS + TRIALS_PER_REQUEST * usual;
}

/** True if a search for the fields behind this rejection can find anything. */
export function mayFind({ inVain }: Lessons, fault: SalesforceFault): boolean {
  return (inVain.get(toRule(fault)) ?? 0) < MAX_IN_VAIN;
}

/** Remembers the fields that cause rejections, or that none was found. */
export function learn(
  { byRule, byCode, inVain }: Lessons,
  fault: SalesforceFault,
  fields: readonly string[] | null,
): void {
  const rule = toRule(fault);
  if (fields === null) {
    if (inVain.size < MAX_RULES) inVain.set(rule, (inVain.get(rule) ?? 0) + 1);
    return;
  }
  remember(byRule, rule, fields);
  remember(byCode, fault.code, fields);
}

function remember(known: Map<string, string[][]>, key: string, fields: readonly string[]): void {
  const sets = known.get(key) ?? [];
  const isKnown = sets.some((set) => setKey(set) === setKey(fields));
  if (isKnown || sets.length >= MAX_SETS || (sets.length === 0 && known.size >= MAX_RULES)) return;
  known.set(key, [...sets, [...fields]]);
}

/**
 * Returns sets of fields that have caused rejections by this rule elsewhere, followed by the sets for other rules with
 * the same code. With `ownAlone`, returns only the rule's own sets.
 */
export function findSuspects(
  { byRule, byCode }: Lessons,
  fault: SalesforceFault,
  ownAlone = false,
): string[][] {
  const own = byRule.get(toRule(fault)) ?? [];
  if (ownAlone) return own;
  const keys = new Set(own.map(setKey));
  return [...own, ...(byCode.get(fault.code) ?? []).filter((set) => !keys.has(setKey(set)))];
}

/** Returns the same text for equal sets. */
export function setKey(fields: readonly string[]): string {
  return [...fields].sort().join();
}
