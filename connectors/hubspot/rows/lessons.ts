/** The knowledge about rejected values that the batches of a connector share. */
import { createMutex, type Mutex } from '../../../src/core/parallel.ts';
import { createSuspicions, type Suspicions } from '../../writing/culprit-search.ts';
import { getErrorSort, type HubspotFault, isKnownCode, type PropertyProblem } from '../errors.ts';
import { aboutOne, BATCH_STATUS, type Row, withoutEach } from './row.ts';

/** The knowledge that the batches of an open connector share. */
export interface Lessons {
  deadProperties: Map<string, HubspotFault>;
  /** Other contacts need not try the value. */
  refusedValues: Map<string, HubspotFault>;
  /** Accepted values of properties that have rejected other values. */
  takenValues: Set<string>;
  /** Properties that have rejected a value or may have rejected a value. */
  troubled: Set<string>;
  suspicions: Suspicions;
  /** The number of errors about single values so far. */
  errors: number;
  batches: number;
  /** The number of requests that separated contacts by their values. */
  separations: number;
  /** The number of wrong guesses about limits of numbers. */
  wrongGuesses: number;
  /** How many parts of separated rows were accepted unchanged. */
  splitsTaken: number;
  /** One batch is separated at a time, so the next can use the result. */
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

/** The maximum number of values that are remembered. */
const MAX_LESSONS = 1_000;

export function classifyProblems(problems: readonly PropertyProblem[], status: number) {
  return {
    isDead: problems.some(({ code }) => getErrorSort(code) === 'property'),
    isAboutValue: problems.every(({ code }) => isAboutValue(code, status)),
  };
}

/** Any contact with the value has this error. */
function isAboutValue(code: string, status: number): boolean {
  if (ABOUT_VALUE.test(code)) return true;
  // Each rule has its own code. If HubSpot rejects a whole request, the error is about a value. An error about a single
  // record has its own entry.
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
