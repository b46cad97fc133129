/** Compares middle names, and first and middle names in a different order. */

import type { Candidate } from './donor-index.ts';
import { type Comparing, type Evidence, MOSTLY_TWO } from './evidence.ts';
import { mayBeOwnName, RARELY_GIVEN } from './given-name-pairs.ts';
import { fitFirstName, isTypo, middlesAgree, type Reading } from './names.ts';
import { isShortFor } from './nicknames.ts';

/**
 * In two records of the same person, 2 % of the middle initials differ. In records of two people, nearly all middle
 * initials differ.
 */
const OTHER_INITIAL = {
  ...{ bits: Math.log2(0.02 / 0.93), reason: 'The middle initial is another one' },
  ...{ isContradiction: true, atMost: MOSTLY_TWO },
};
/** Two relatives may be called Nina and Tina, so two similar middle names are rarely one misspelled name. */
const OTHER_NAME = {
  ...{ bits: Math.log2(0.05), reason: 'The middle name is another known name' },
  ...{ isContradiction: true, atMost: MOSTLY_TWO },
};
const MIDDLE_M = 0.6;

/** Compares the middle names. Different middle names indicate two people, such as a father and a son. */
export function weighMiddle(
  comparing: Comparing,
  reading: Reading,
  donor: Candidate,
): Evidence[] | undefined {
  const { last, lastParts } = reading;
  const left = withoutMatchedName(comparing, reading, donor);
  const mine = left.mine.filter((one) => one !== donor.last && !donor.lastParts.includes(one));
  const theirs = left.theirs.filter((one) => one !== last && !lastParts.includes(one));
  if (mine.length === 0 || theirs.length === 0) return [];
  const agreed = mine.find((one) => theirs.some((other) => middlesAgree(one, other)));
  if (agreed === undefined) return weighOtherMiddle(mine, theirs, { lastParts, last }, donor);
  if (!theirs.some((other) => areOneMiddle(comparing, agreed, other))) return [OTHER_NAME];
  const isFull = theirs.some((other) => other === agreed && other.length > 1);
  const bits = isFull
    ? Math.log2(MIDDLE_M / Math.max(1e-3, comparing.population.first(agreed)))
    : 3;
  const reason = isFull ? 'The middle name is the same' : 'The middle initial agrees';
  const isWholeName =
    reading.first === donor.first &&
    reading.first.length > 1 &&
    last === donor.last &&
    reading.generation === donor.generation;
  return [{ m: MIDDLE_M, bits, reason, isMiddle: true, ...(isWholeName ? WHOLE_NAME : {}) }];
}

/**
 * Returns true if two middle names can be one name. Returns false for two different known names, such as Nina and Tina.
 * If one of the names is unknown, the unknown name may contain a typing error.
 */
function areOneMiddle(comparing: Comparing, one: string, other: string): boolean {
  if (!middlesAgree(one, other)) return false;
  const isPart = one.startsWith(other) || other.startsWith(one);
  const fit = fitFirstName(one, other);
  if (isPart || fit === 'spelling' || fit === 'nickname') return true;
  return mayBeOwnName(comparing, one, other, false) !== 'surely';
}

const WHOLE_NAME: Pick<Evidence, 'isWholeName'> = { isWholeName: true };

/**
 * Removes the name on which both people agree. If the name is a middle name of one person, that person's first name is
 * compared instead. For example, Paul David is not John Paul, who may be his father.
 */
function withoutMatchedName(
  comparing: Comparing,
  { first, middles }: Reading,
  donor: Candidate,
): { mine: readonly string[]; theirs: readonly string[] } {
  // In "Robert Bob", the second word is a short form and not a middle name. In "Linda Lynn", the second word is a
  // middle name.
  const isShort = (middle: string) =>
    isShortFor(first, middle) && comparing.population.first(middle) < RARELY_GIVEN.seldom;
  const mine = middles.filter((middle) => !isShort(middle));
  if (fitFirstName(first, donor.first) !== undefined) return { mine, theirs: donor.middles };
  const others = middles.filter((middle) => middle !== donor.first);
  if (others.length < middles.length) return { mine: [first, ...others], theirs: donor.middles };
  const matched = donor.middles.findIndex((one) => fitsFull(comparing, first, one));
  if (matched === -1) return { mine: [], theirs: [] };
  return { mine, theirs: [donor.first, ...donor.middles.toSpliced(matched, 1)] };
}

/** Two different full middle names belong to two people. An initial may be wrong or may belong to a different name. */
function weighOtherMiddle(
  mine: readonly string[],
  theirs: readonly string[],
  reading: Pick<Reading, 'last' | 'lastParts'>,
  donor: Candidate,
): Evidence[] | undefined {
  const hasInitial = [mine, theirs].some((side) => side.every((one) => one.length === 1));
  if (!hasInitial) return undefined;
  // If the two people have one last name, its initial does not explain the difference.
  const others = [
    ...reading.lastParts.filter((part) => part !== donor.last && !donor.lastParts.includes(part)),
    ...donor.lastParts.filter((part) => part !== reading.last && !reading.lastParts.includes(part)),
  ];
  const explained = (side: readonly string[]) =>
    side.some((one) => one.length === 1 && others.some((other) => other.startsWith(one)));
  return explained(mine) || explained(theirs) ? [] : [OTHER_INITIAL];
}

/**
 * Returns true if both people have the same first and middle name in opposite order. One of the two names may be an
 * initial. Brothers who share two names are more common than records in which the names are exchanged.
 */
export function areExchanged(
  comparing: Comparing,
  { first, middles }: Pick<Reading, 'first' | 'middles'>,
  donor: Pick<Candidate, 'first' | 'middles'>,
): boolean {
  const isFull =
    middles.includes(donor.first) || donor.middles.some((one) => fitsFull(comparing, first, one));
  return (
    isFull &&
    middles.some((one) => middlesAgree(one, donor.first)) &&
    donor.middles.some((one) => middlesAgree(one, first))
  );
}

/**
 * Returns true if the first name of one person is the middle name of the other person. An initial alone is not enough
 * evidence that the names are exchanged.
 */
export function fitsFull(comparing: Comparing, first: string, middle: string): boolean {
  if (first.length === 1 || middle.length === 1) return false;
  const isMistyped = () =>
    isTypoOfLong(first, middle) && mayBeOwnName(comparing, first, middle, false) === 'never';
  return first === middle || isMistyped();
}

function isTypoOfLong(one: string, other: string): boolean {
  return Math.min(one.length, other.length) >= 6 && isTypo(one, other);
}
