/**
 * Guesses which numbers a rule rejects, from the numbers that it has rejected and accepted so far. A guess decides
 * nothing. It is tried, and it is right only if HubSpot accepts everything else and has reported as many errors as
 * there were guesses.
 */
import type { HubspotFault } from '../errors.ts';
import { type Lessons, toValueKey } from './lessons.ts';
import { type Row, withoutEach } from './row.ts';
import type { Suspects } from './suspects.ts';

/** After this many wrong guesses, the rule no longer counts as a rule about limits. */
const MAX_WRONG = 8;

/** Returns the rows that a rule about limits would reject, or null if no limit would reject that many. */
export function guessCulprits(
  lessons: Lessons,
  { name, classes, isOrdered, errors, codes }: Suspects,
): readonly Row[] | null {
  if (!isOrdered || errors === null || codes !== 1 || lessons.wrongGuesses >= MAX_WRONG)
    return null;
  const refused = listNumbers(lessons.refusedValues.keys(), name);
  const taken = listNumbers(lessons.takenValues, name);
  if (refused.length === 0) {
    // If numbers occur repeatedly, halving finds the rejected ones for all batches.
    const isRepeated = 2 * classes.length <= classes.flat().length;
    return isRepeated ? null : largest(classes, errors);
  }
  const ranked = classes
    .flat()
    .map((row) => ({ row, score: scoreNumber(Number(row.properties[name]), refused, taken) }))
    .filter(({ score }) => score < Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one.score - other.score);
  const culprits = ranked.slice(0, errors).map(({ row }) => row);
  // A change that must be written as a whole cannot be tried without the value.
  return culprits.length < errors || culprits.some(({ isWhole }) => isWhole) ? null : culprits;
}

/**
 * Returns this many of the largest numbers, because most limits are upper limits. Returns null if equal numbers would
 * make them more.
 */
function largest(classes: Suspects['classes'], errors: number): readonly Row[] | null {
  const culprits: Row[] = [];
  for (const own of classes.toReversed()) {
    if (culprits.length >= errors) break;
    culprits.push(...own);
  }
  return culprits.length !== errors || culprits.some(({ isWhole }) => isWhole) ? null : culprits;
}

function listNumbers(keys: Iterable<string>, name: string): number[] {
  const prefix = toValueKey(name, '');
  return [...keys].flatMap((key) =>
    key.startsWith(prefix) ? [Number(key.slice(prefix.length))] : [],
  );
}

/**
 * How many different numbers of a property must be rejected in this run before other numbers between them are left out.
 */
const ENOUGH_REFUSED = 8;

/**
 * Returns the row without numbers that would certainly be rejected too. They are between numbers that were rejected in
 * this run, and no number between those was accepted. Numbers outside this range are sent, and so are changes that must
 * be written as a whole.
 */
export function withoutBetweenRefused(lessons: Lessons, row: Row): Row {
  if (row.isWhole || lessons.refusedValues.size < ENOUGH_REFUSED) return row;
  const reasons = new Map<string, HubspotFault>();
  for (const name of lessons.troubled) {
    const value = Number(row.properties[name] || Number.NaN);
    if (Number.isNaN(value)) continue;
    const refused = listNumbers(lessons.refusedValues.keys(), name);
    if (refused.length < ENOUGH_REFUSED) continue;
    const [least, most] = [Math.min(...refused), Math.max(...refused)];
    const isBetween = (number: number) => least <= number && number <= most;
    if (!isBetween(value) || listNumbers(lessons.takenValues, name).some(isBetween)) continue;
    const fault = findFault(lessons, name);
    if (fault !== null) reasons.set(name, fault);
  }
  return withoutEach(row, reasons);
}

/** Returns HubSpot's own text about a rejected value of this property. */
function findFault({ refusedValues }: Lessons, name: string): HubspotFault | null {
  const prefix = toValueKey(name, '');
  for (const [key, fault] of refusedValues) if (key.startsWith(prefix)) return fault;
  return null;
}

/**
 * Returns 0 for a number between or beyond rejected ones. If an accepted number is on the other side of a rejected one,
 * returns the distance to the rejected one. Otherwise returns infinity.
 */
function scoreNumber(value: number, refused: readonly number[], taken: readonly number[]): number {
  const below = nearest(value, refused, taken, -1);
  const above = nearest(value, refused, taken, 1);
  if (below.refusedBy === Number.POSITIVE_INFINITY && above.refusedBy === below.refusedBy) {
    return Number.POSITIVE_INFINITY;
  }
  const isTakenNear = below.takenBy < below.refusedBy || above.takenBy < above.refusedBy;
  if (!isTakenNear) return 0;
  const isRefusedNear = below.refusedBy < below.takenBy || above.refusedBy < above.takenBy;
  if (!isRefusedNear) return Number.POSITIVE_INFINITY;
  return Math.min(
    below.refusedBy < below.takenBy ? below.refusedBy : Number.POSITIVE_INFINITY,
    above.refusedBy < above.takenBy ? above.refusedBy : Number.POSITIVE_INFINITY,
  );
}

/** Returns the distances to the nearest rejected and the nearest accepted number on one side. */
function nearest(
  value: number,
  refused: readonly number[],
  taken: readonly number[],
  side: 1 | -1,
) {
  const distanceTo = (numbers: readonly number[]) =>
    numbers.reduce((least, number) => {
      const distance = (number - value) * side;
      return distance >= 0 && distance < least ? distance : least;
    }, Number.POSITIVE_INFINITY);
  return { refusedBy: distanceTo(refused), takenBy: distanceTo(taken) };
}
