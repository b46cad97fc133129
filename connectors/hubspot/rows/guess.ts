/**
 * Guesses which numbers a rule refuses, from those that it has refused and accepted so far. A guess decides
 * nothing: it is tried, and holds only if HubSpot accepts everything else and had as many errors as guesses.
 */
import { keyOf, type Lessons } from './lessons.ts';
import type { Row } from './row.ts';
import type { Suspects } from './suspects.ts';

/** Wrong guesses after which the rule is not taken for one about limits. */
const MAX_WRONG = 8;

/** The rows that a rule about limits would refuse; null if there is nothing to guess by. */
export function guessCulprits(
  lessons: Lessons,
  { name, classes, isOrdered, errors, codes }: Suspects,
): readonly Row[] | null {
  if (!isOrdered || errors === null || codes !== 1 || lessons.wrongGuesses >= MAX_WRONG)
    return null;
  const refused = numbersOf(lessons.refusedValues.keys(), name);
  const taken = numbersOf(lessons.takenValues, name);
  if (refused.length === 0) return null;
  const ranked = classes
    .flat()
    .map((row) => ({ row, score: scoreOf(Number(row.properties[name]), refused, taken) }))
    .filter(({ score }) => score < Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one.score - other.score);
  const culprits = ranked.slice(0, errors).map(({ row }) => row);
  // What must be written as a whole leaves nothing to try without the value.
  return culprits.length < errors || culprits.some(({ isWhole }) => isWhole) ? null : culprits;
}

function numbersOf(keys: Iterable<string>, name: string): number[] {
  const prefix = keyOf(name, '');
  return [...keys].flatMap((key) =>
    key.startsWith(prefix) ? [Number(key.slice(prefix.length))] : [],
  );
}

/**
 * 0 for a number between refused ones, or beyond them; how near it is to a refused one where an accepted
 * one is on its other side; infinite anywhere else.
 */
function scoreOf(value: number, refused: readonly number[], taken: readonly number[]): number {
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

/** The distances to the nearest refused and the nearest accepted number on one side. */
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
