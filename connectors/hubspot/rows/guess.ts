/**
 * Guesses which numbers a validation rule rejects. The guess is based on numbers that HubSpot has rejected and
 * accepted. A guess never decides the result. donor-sync sends a request to test it. The guess is right if HubSpot
 * accepts all other values and the number of errors matches.
 */
import type { HubspotFault } from '../errors.ts';
import { type Lessons, toValueKey } from './lessons.ts';
import { type Row, withoutEach } from './row.ts';
import type { Suspects } from './suspects.ts';

/** The number of wrong guesses after which donor-sync assumes that the rule has no limit. */
const MAX_WRONG = 8;

/**
 * Returns the rows that a rule with a limit would reject. Returns null if no limit would reject this number of rows.
 */
export function guessCulprits(
  lessons: Lessons,
  { name, classes, isOrdered, errors, codes }: Suspects,
): readonly Row[] | null {
  if (!isOrdered || errors === null || codes !== 1 || lessons.wrongGuesses >= MAX_WRONG)
    return null;
  const refused = listNumbers(lessons.refusedValues.keys(), name);
  const taken = listNumbers(lessons.takenValues, name);
  if (refused.length === 0) {
    // If numbers are repeated, splitting the rows in half finds the rejected numbers faster.
    const isRepeated = 2 * classes.length <= classes.flat().length;
    return isRepeated ? null : largest(classes, errors);
  }
  const ranked = classes
    .flat()
    .map((row) => ({ row, score: scoreNumber(Number(row.properties[name]), refused, taken) }))
    .filter(({ score }) => score < Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one.score - other.score);
  const culprits = ranked.slice(0, errors).map(({ row }) => row);
  // A change whose values belong together cannot be tested without one of its values.
  return culprits.length < errors || culprits.some(({ isWhole }) => isWhole) ? null : culprits;
}

/**
 * Returns the rows with the largest numbers, because most limits are upper limits. Rows with the same number are not
 * separated. Returns null if the rows with the same number are too many.
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
 * The number of different rejected numbers after which donor-sync also leaves out the numbers between them. Only
 * rejections of the current run count.
 */
const ENOUGH_REFUSED = 8;

/**
 * Removes numbers that HubSpot would certainly reject. Such a number lies between two rejected numbers, and HubSpot has
 * accepted no number between these two. donor-sync sends all other numbers. If the values of a change belong together,
 * donor-sync sends them too.
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

/** Returns HubSpot's error about a rejected value of this property. */
function findFault({ refusedValues }: Lessons, name: string): HubspotFault | null {
  const prefix = toValueKey(name, '');
  for (const [key, fault] of refusedValues) if (key.startsWith(prefix)) return fault;
  return null;
}

/**
 * Returns a score for a number, which is low if a rule probably rejects the number. The score is 0 if the nearest
 * numbers on both sides are rejected. If a rejected number is nearest on one side and an accepted number on the other
 * side, the score is the distance to the rejected number.
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

/** Returns the distances to the nearest rejected number and to the nearest accepted number on one side. */
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
