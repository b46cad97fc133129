/**
 * Stores which values HubSpot has rejected. All batches of a connector share what donor-sync has learned about rejected
 * values.
 */
import { createMutex, type Mutex } from '../../../src/core/parallel.ts';
import { createSuspicions, type Suspicions } from '../../writing/culprit-search.ts';
import { getErrorSort, type HubspotFault, isKnownCode, type PropertyProblem } from '../errors.ts';
import { aboutOne, BATCH_STATUS, type Row, withoutEach } from './row.ts';

/** Knowledge about rejected values. All batches of an open connector share this knowledge about rejected values. */
export interface Lessons {
  deadProperties: Map<string, HubspotFault>;
  /**
   * Values that HubSpot has rejected, with the error. donor-sync does not send the same value again for other contacts.
   */
  refusedValues: Map<string, HubspotFault>;
  /** Accepted values of properties for which HubSpot has rejected other values. */
  takenValues: Set<string>;
  /** Properties for which HubSpot has rejected a value, or may have rejected a value. */
  troubled: Set<string>;
  suspicions: Suspicions;
  /** The number of errors about single values until now. */
  errors: number;
  batches: number;
  /** The number of requests that were sent to separate contacts by their values. */
  separations: number;
  /** The number of wrong guesses about limits of numbers. */
  wrongGuesses: number;
  /** The number of separated parts that HubSpot accepted unchanged. */
  splitsTaken: number;
  /** A lock that allows only one batch at a time to be separated, so the next batch can use the result. */
  turn: Mutex;
}

export function createLessons(): Lessons {
  return {
    deadProperties: new Map(),
    refusedValues: new Map(),
    takenValues: new Set(),
    troubled: new Set(),
    suspicions: createSuspicions(),
    errors: 0,
    batches: 0,
    separations: 0,
    wrongGuesses: 0,
    splitsTaken: 0,
    turn: createMutex(),
  };
}

/** The maximum number of values to remember. */
const MAX_LESSONS = 1_000;

export function classifyProblems(problems: readonly PropertyProblem[], status: number) {
  return {
    isDead: problems.some(({ code }) => getErrorSort(code) === 'property'),
    isAboutValue: problems.every(({ code }) => isAboutValue(code, status)),
  };
}

/** Returns true if every contact with the value would get this error. */
function isAboutValue(code: string, status: number): boolean {
  if (ABOUT_VALUE.test(code)) return true;
  // Each validation rule has its own code. If HubSpot rejects a whole request, the error is about a value. An error
  // about a single record has its own entry in the response.
  return status !== BATCH_STATUS && !isKnownCode(code);
}

const ABOUT_VALUE = /^(INVALID_|PROPERTY_VALUE_TOO_LONG|LEADING_TRAILING_|VALIDATION_ERROR$)/;

export function learn(
  { deadProperties, refusedValues, troubled }: Lessons,
  name: string,
  culprits: readonly Row[],
  fault: HubspotFault,
): void {
  const problems = fault.problems.filter(({ property }) => property === name);
  const { isDead, isAboutValue } = classifyProblems(problems, fault.status);
  const lesson = aboutOne(fault, name);
  if (isDead) deadProperties.set(name, lesson);
  if (isDead || !isAboutValue) return;
  troubled.add(name);
  for (const { properties } of culprits) {
    if (refusedValues.size < MAX_LESSONS)
      refusedValues.set(toValueKey(name, properties[name]), lesson);
  }
}

export function recordTaken({ troubled, takenValues }: Lessons, { properties }: Row): void {
  for (const name of troubled) {
    const value = properties[name];
    if (value !== undefined && takenValues.size < MAX_LESSONS)
      takenValues.add(toValueKey(name, value));
  }
}

export function withoutKnown({ deadProperties, refusedValues }: Lessons, row: Row): Row {
  if (deadProperties.size === 0 && refusedValues.size === 0) return row;
  const reasons = new Map<string, HubspotFault>();
  for (const [name, value] of Object.entries(row.properties)) {
    const fault = deadProperties.get(name) ?? refusedValues.get(toValueKey(name, value));
    if (fault !== undefined) reasons.set(name, fault);
  }
  return withoutEach(row, reasons);
}

export function toValueKey(property: string, value: string | undefined): string {
  return `${property}=${value ?? ''}`;
}
