/** The writes of an open connector share their knowledge about rejections that name no field. */
import { createMutex, type Mutex } from '../../../src/core/parallel.ts';
import type { SalesforceFault } from '../errors.ts';

/**
 * The number of records in one collections request, which is Salesforce's maximum. The Bulk API also runs triggers for
 * this number of records.
 */
export const COLLECTION_ROWS = 200;

export interface Lessons {
  /** Sets of fields that have caused rejections, by the rule that rejected them. */
  byRule: Map<string, string[][]>;
  /** The same sets by the error code only. They are for rules whose messages quote values. */
  byCode: Map<string, string[][]>;
  /** Rules that rejected a change in a group but accepted the same change in a separate trial. */
  acceptsAlone: Set<string>;
  /** The number of searches that found no field, for each rule. */
  inVain: Map<string, number>;
  /**
   * The number of records that are written together. It becomes smaller than Salesforce's maximum once the org's
   * triggers have exceeded a limit for one transaction.
   */
  mostRows: number;
  /** The number of requests that write, and of trials whose writes are rolled back. */
  usual: number;
  trials: number;
  /** False once a trial was not rolled back as it should have been. */
  areTrialsSafe: boolean;
  /** Only one search runs at a time, so the next search can use the result. */
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

/** The number of rules that are remembered, and the number of sets of fields for each rule. */
const MAX_RULES = 1_000;
const MAX_SETS = 8;

/** The number of trials that are always allowed, and the number for each request that writes. */
const FREE_TRIALS = 16;
const TRIALS_PER_REQUEST = 0.5;

/** The number of failed searches after which a rule is assumed to reject whole records. */
const MAX_IN_VAIN = 2;

/** Returns the rule behind a rejection. Messages may quote amounts, which differ from contact to contact. */
export function toRule({ code, message }: Pick<SalesforceFault, 'code' | 'message'>): string {
  return `${code} ${message.replaceAll(/\d[\d.,]*/g, '#')}`;
}

/** Remembers that this number of records exceeded a limit for one transaction. */
export function learnSize(lessons: Lessons, rows: number): void {
  lessons.mostRows = Math.max(1, Math.min(lessons.mostRows, Math.floor(rows / 2)));
}

/** True if one more trial may be made. */
export function mayTry({ usual, trials, areTrialsSafe }: Lessons): boolean {
  return areTrialsSafe && trials < FREE_TRIALS + TRIALS_PER_REQUEST * usual;
}

/** True if a search for the fields behind this rejection can be successful. */
export function mayFind({ inVain }: Lessons, fault: SalesforceFault): boolean {
  return (inVain.get(toRule(fault)) ?? 0) < MAX_IN_VAIN;
}

/** Remembers the fields that cause rejections, or the fact that a search found none. */
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

/** Returns a key that is the same for equal sets. */
export function setKey(fields: readonly string[]): string {
  return [...fields].sort().join();
}
