/**
 * Guesses which numbers a rule rejects. Uses rejected and accepted numbers. A guess alone decides nothing. Each guess
 * is tried. It is right if everything else is accepted and the number of errors matches.
 */
import type { HubspotFault } from '../errors.ts';
import { type Lessons, toValueKey } from './lessons.ts';
import { type Row, withoutEach } from './row.ts';
import type { Suspects } from './suspects.ts';

/** After so many wrong guesses, the rule seems to have no limit. */
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
    // For repeated numbers, halving finds the rejected ones.
    const isRepeated = 2 * classes.length <= classes.flat().length;
    return isRepeated ? null : largest(classes, errors);
  }
  const ranked = classes
    .flat()
    .map((row) => ({ row, score: scoreNumber(Number(row.properties[name]), refused, taken) }))
    .filter(({ score }) => score < Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one.score - other.score);
  const culprits = ranked.slice(0, errors).map(({ row }) => row);
  // A change that must be complete cannot be tried without one value.
  return culprits.length < errors || culprits.some(({ isWhole }) => isWhole) ? null : culprits;
}

/**
 * Returns this many of the largest numbers, because most limits are upper limits. Rows with equal numbers belong
 * together. Null if rows with equal numbers exceed the count.
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
 * The number of different rejected numbers after which donor-sync leaves out other numbers between them. Only this run
 * counts.
 */
const ENOUGH_REFUSED = 8;

/**
 * Removes numbers that would certainly be rejected. They are between two rejected numbers without an accepted one
 * between them. HubSpot has accepted no number between those two. Numbers outside this range are sent. Changes that
 * must be written as a whole are sent too.
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

/** Returns HubSpot's own message about a rejected value of this property. */
function findFault({ refusedValues }: Lessons, name: string): HubspotFault | null {
  const prefix = toValueKey(name, '');
  for (const [key, fault] of refusedValues) if (key.startsWith(prefix)) return fault;
  return null;
}

/**
 * Returns 0 for a number between or beyond rejected ones. If an accepted number is on the other side of a rejected
 * number, returns the distance to the rejected number.
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

/** Returns the distances to the nearest rejected number and the nearest accepted number on one side. */
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
