/**
 * Finds the rows that may have caused the rejection of a property. Also decides whether a search for these rows is
 * worthwhile.
 */
import type { HubspotFault, PropertyProblem } from '../errors.ts';
import { classifyProblems, type Lessons, toValueKey } from './lessons.ts';
import type { Row } from './row.ts';

/** The rows that may have caused the rejection of a property. */
export interface Suspects {
  name: string;
  culprits: readonly Row[] | null;
  /** Groups of rows with the same value. The rows of a group are either all valid or all invalid. */
  classes: readonly (readonly Row[])[];
  /** True if the values are numbers. Rules usually reject numbers above or below a limit. */
  isOrdered: boolean;
  /**
   * The number of errors about the property in the response. The number is null if the response did not name the
   * property.
   */
  errors: number | null;
  /** The number of different codes among these errors. */
  codes: number;
}

export function findSuspects(
  lessons: Lessons,
  rows: readonly Row[],
  fault: HubspotFault,
  name: string,
): Suspects {
  const problems = fault.problems.filter(({ property }) => property === name);
  const carriers = rows.filter(({ properties }) => name in properties);
  const { isDead, isAboutValue } = classifyProblems(problems, fault.status);
  const untried = carriers.filter(
    ({ properties }) =>
      !isAboutValue || !lessons.takenValues.has(toValueKey(name, properties[name])),
  );
  const some = untried.length > 0 ? untried : carriers;
  const byValue = Map.groupBy(some, (row) => (isAboutValue ? row.properties[name] : row.id) ?? '');
  // The values are sorted, because rules usually reject neighbouring values, such as the largest or the longest values.
  const classes = [...byValue].toSorted(([a], [b]) => compareValues(a, b)).map(([, own]) => own);
  const culprits = isDead
    ? carriers
    : classes.length === 1 || (isAboutValue && areAllRefused(problems, some))
      ? some
      : isAboutValue
        ? quotedRows(problems, some, name)
        : null;
  const isNamed = problems.some(({ says }) => says !== null);
  const isOrdered = isAboutValue && [...byValue.keys()].every(isNumber);
  const codes = new Set(problems.map(({ code }) => code)).size;
  const errors = isNamed ? problems.length : null;
  return { name, culprits, classes, isOrdered, errors, codes };
}

function isNumber(value: string): boolean {
  return value !== '' && !Number.isNaN(Number(value));
}

function compareValues(one: string, other: string): number {
  const difference = Number(one) - Number(other);
  if (!Number.isNaN(difference)) return difference;
  return one.length - other.length || (one < other ? -1 : 1);
}

/** Returns true if there is an error for each row. A validation rule returns at most one error per value. */
function areAllRefused(problems: readonly PropertyProblem[], rows: readonly Row[]): boolean {
  const codes = new Set(problems.map(({ code }) => code));
  return codes.size === 1 && problems.length === rows.length;
}

/**
 * Returns the rows whose values HubSpot's errors quote. Most errors start with the value. Returns null unless each
 * error contains one value. The number of errors must match the number of rows or of values.
 */
function quotedRows(
  problems: readonly PropertyProblem[],
  rows: readonly Row[],
  name: string,
): Row[] | null {
  const values = new Set(rows.map(({ properties }) => properties[name] ?? ''));
  const quoted = new Set<string>();
  for (const { says } of problems) {
    // In the error text, the list of available options follows the value.
    const [said = ''] = says?.reveal().split(': [') ?? [];
    const named = [...values].filter((value) => stands(value, said));
    const [only] = named;
    if (only === undefined || named.length > 1) return null;
    quoted.add(only);
  }
  const culprits = rows.filter(({ properties }) => quoted.has(properties[name] ?? ''));
  return [culprits.length, quoted.size].includes(problems.length) ? culprits : null;
}

/** Returns true if the text contains the value as a separate word. */
function stands(value: string, text: string): boolean {
  if (value === '') return false;
  const parts = text.split(value);
  return parts.some(
    (part, at) =>
      at + 1 < parts.length &&
      !/[\p{L}\p{N}]$/u.test(part) &&
      !/^[\p{L}\p{N}]/u.test(parts[at + 1] ?? ''),
  );
}

/**
 * The maximum number of errors for a separation. With more errors, too many values are invalid. The limit applies to
 * each response and to all responses together.
 */
const FEW_ERRORS = 3;
const FEW_IN_ALL = 6;
const FEW_ALLOWANCE = 64;

/**
 * The maximum number of different values for which a search is worthwhile. After the search, the next batches know the
 * rejected values.
 */
const FEW_VALUES = 32;
const VALUES_ALLOWANCE = 16;

/** The number of requests that donor-sync may use to find the limits between accepted and rejected numbers. */
const ORDERED_ALLOWANCE = 32;

/**
 * The number of separations for each batch. Leaving out a property takes one more request. With this number, a batch
 * needs at most three times the usual number of requests.
 */
const SEPARATIONS_PER_BATCH = 0.5;

/** If the number of invalid values is unknown, the search continues as long as HubSpot accepts parts of the rows. */
const UNNAMED_ALLOWANCE = 4;

/**
 * Returns true if donor-sync may separate the rows. With many invalid values, each value would take an additional
 * request.
 */
export function maySeparate(
  { batches, separations, splitsTaken, errors: inAll }: Lessons,
  { errors, classes, isOrdered }: Suspects,
): boolean {
  if (errors === null) {
    const isRepeated = 2 * classes.length <= classes.flat().length;
    const most = (isRepeated ? VALUES_ALLOWANCE : UNNAMED_ALLOWANCE) + 2 * splitsTaken;
    return separations + 2 <= most;
  }
  const allowance = batches * SEPARATIONS_PER_BATCH - separations - 2;
  if (errors <= FEW_ERRORS && inAll <= FEW_IN_ALL) return allowance + FEW_ALLOWANCE >= 0;
  if (isOrdered && allowance + ORDERED_ALLOWANCE >= 0) return true;
  return classes.length <= FEW_VALUES && allowance + VALUES_ALLOWANCE >= 0;
}
