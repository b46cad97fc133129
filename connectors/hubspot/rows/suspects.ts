/** Which rows may have brought about that HubSpot refuses a property, and whether it pays to find out. */
import type { HubspotFault, PropertyProblem } from '../errors.ts';
import { keyOf, type Lessons, sortsOf } from './lessons.ts';
import type { Row } from './row.ts';

/** Which rows may have brought about that a property is refused. */
interface Suspects {
  name: string;
  /** The rows that did; null if that is not known. */
  culprits: readonly Row[] | null;
  /** Rows that are good or bad together, because they have the same value. */
  classes: readonly (readonly Row[])[];
  /** How many errors of the answer are about the property; null if it did not name it. */
  errors: number | null;
}

export function suspectsOf(
  lessons: Lessons,
  rows: readonly Row[],
  fault: HubspotFault,
  name: string,
): Suspects {
  const problems = fault.problems.filter(({ property }) => property === name);
  const carriers = rows.filter(({ properties }) => name in properties);
  const { isDead, isAboutValue } = sortsOf(problems);
  const untried = carriers.filter(
    ({ properties }) => !isAboutValue || !lessons.takenValues.has(keyOf(name, properties[name])),
  );
  const some = untried.length > 0 ? untried : carriers;
  const byValue = Map.groupBy(some, (row) => (isAboutValue ? row.properties[name] : row.id));
  const classes = [...byValue.values()];
  const culprits = isDead
    ? carriers
    : classes.length === 1
      ? some
      : isAboutValue
        ? quotedRows(problems, some, name)
        : null;
  const isNamed = problems.some(({ says }) => says !== null);
  return { name, culprits, classes, errors: isNamed ? problems.length : null };
}

/**
 * The rows whose value stands in what HubSpot says, as most of its errors begin with it; null unless
 * each error names one value, and the errors are as many as the rows or values that would be meant.
 */
function quotedRows(
  problems: readonly PropertyProblem[],
  rows: readonly Row[],
  name: string,
): Row[] | null {
  const values = new Set(rows.map(({ properties }) => properties[name] ?? ''));
  const quoted = new Set<string>();
  for (const { says } of problems) {
    // What follows are the options that there are.
    const [said = ''] = says?.reveal().split(': [') ?? [];
    const named = [...values].filter((value) => stands(value, said));
    const [only] = named;
    if (only === undefined || named.length > 1) return null;
    quoted.add(only);
  }
  const culprits = rows.filter(({ properties }) => quoted.has(properties[name] ?? ''));
  return [culprits.length, quoted.size].includes(problems.length) ? culprits : null;
}

/** Whether a value stands in a text as a word of its own. */
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

/** Errors of one answer, and of all so far, up to which a single value, or a few, seem to be wrong. */
const FEW_ERRORS = 3;
const FEW_IN_ALL = 6;
const FEW_ALLOWANCE = 64;

/** Different values up to which it pays to find the wrong ones once: the next batches know them. */
const FEW_VALUES = 32;
const VALUES_ALLOWANCE = 16;

/** Leaving out takes a request besides the usual one: with these, all takes three times as many. */
const SEPARATIONS_PER_BATCH = 0.5;

/** Where nothing says how many are refused, it pays as long as parts of the rows are taken. */
const UNNAMED_ALLOWANCE = 4;

/** Where many different values are refused, finding them would cost a request for each. */
export function maySeparate(
  { batches, separations, splitsTaken, errors: inAll }: Lessons,
  { errors, classes }: Suspects,
): boolean {
  if (errors === null) {
    const isRepeated = 2 * classes.length <= classes.flat().length;
    const most = (isRepeated ? VALUES_ALLOWANCE : UNNAMED_ALLOWANCE) + 2 * splitsTaken;
    return separations + 2 <= most;
  }
  const allowance = batches * SEPARATIONS_PER_BATCH - separations - 2;
  if (errors <= FEW_ERRORS && inAll <= FEW_IN_ALL) return allowance + FEW_ALLOWANCE >= 0;
  return classes.length <= FEW_VALUES && allowance + VALUES_ALLOWANCE >= 0;
}
