/**
 * Knowledge about rejections that name no field. All writes of an open connector share the knowledge about rejections.
 */
import { createMutex, type Mutex } from '../../../src/core/parallel.ts';
import type { SalesforceFault } from '../errors.ts';

/**
 * The number of records in one collections request, which is Salesforce's maximum. The Bulk API also runs triggers for
 * this number of records at a time.
 */
export const COLLECTION_ROWS = 200;

export interface Lessons {
  /** For each rule, the sets of fields that have caused rejections. */
  byRule: Map<string, string[][]>;
  /**
   * For each error code, the sets of fields that have caused rejections. donor-sync needs the sets of fields for rules
   * whose messages quote values.
   */
  byCode: Map<string, string[][]>;
  /** Rules that rejected a change in a group but accepted the change in a separate trial. */
  acceptsAlone: Set<string>;
  /** For each rule, the number of searches that found no field. */
  inVain: Map<string, number>;
  /**
   * The number of records that donor-sync writes together. The number becomes smaller than Salesforce's maximum if the
   * org's triggers exceed a transaction limit.
   */
  mostRows: number;
  /** The number of requests that write values, and the number of trials that Salesforce rolls back. */
  usual: number;
  trials: number;
  /** False if Salesforce did not roll back a trial. */
  areTrialsSafe: boolean;
  /** A lock that allows only one search at a time, so the next search can use the previous result. */
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

/** The maximum number of rules to remember, and the maximum number of field sets for each rule. */
const MAX_RULES = 1_000;
const MAX_SETS = 8;

/** The number of trials that are always allowed, and the additional number for each request that writes values. */
const FREE_TRIALS = 16;
const TRIALS_PER_REQUEST = 0.5;

/** After this number of unsuccessful searches, donor-sync assumes that the rule rejects whole records. */
const MAX_IN_VAIN = 2;

/**
 * Returns a name for the rule that rejected a change. The name ignores amounts, because messages may quote amounts that
 * differ from contact to contact.
 */
export function toRule({ code, message }: Pick<SalesforceFault, 'code' | 'message'>): string {
  return `${code} ${message.replaceAll(/\d[\d.,]*/g, '#')}`;
}

/** Stores the fact that this number of records exceeded a transaction limit. */
export function learnSize(lessons: Lessons, rows: number): void {
  lessons.mostRows = Math.max(1, Math.min(lessons.mostRows, Math.floor(rows / 2)));
}

/** Returns true if another trial is allowed. */
export function mayTry({ usual, trials, areTrialsSafe }: Lessons): boolean {
  return areTrialsSafe && trials < FREE_TRIALS + TRIALS_PER_REQUEST * usual;
}

/** Returns true if a search for the fields that cause this rejection can be successful. */
export function mayFind({ inVain }: Lessons, fault: SalesforceFault): boolean {
  return (inVain.get(toRule(fault)) ?? 0) < MAX_IN_VAIN;
}

/** Stores the fields that caused a rejection, or the fact that a search found no field. */
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
 * Returns sets of fields that caused rejections of other contacts by the same rule. After them, returns the sets of
 * other rules with the same error code. With `ownAlone`, the function returns only the sets of the same rule.
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

/** Returns a key that is the same for equal sets of fields. */
export function setKey(fields: readonly string[]): string {
  return [...fields].sort().join();
}
