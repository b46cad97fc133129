/** Weighs middle names, and given names that are in a different order. */

import type { Candidate } from './donor-index.ts';
import { type Comparing, type Evidence, MOSTLY_TWO } from './evidence.ts';
import { mayBeOwnName, RARELY_GIVEN } from './given-name-pairs.ts';
import { fitFirstName, isTypo, middlesAgree, type Reading } from './names.ts';
import { isShortFor } from './nicknames.ts';

/** For the same person, 2 % of the middle initials differ. For two people, nearly all of them differ. */
const OTHER_INITIAL = {
  ...{ bits: Math.log2(0.02 / 0.93), reason: 'The middle initial is another one' },
  ...{ isContradiction: true, atMost: MOSTLY_TWO },
};
/** Two relatives may be called Nina and Tina, so this is seldom a mistake. */
const OTHER_NAME = {
  ...{ bits: Math.log2(0.05), reason: 'The middle name is another known name' },
  ...{ isContradiction: true, atMost: MOSTLY_TWO },
};
const MIDDLE_M = 0.6;

/** Different middle names indicate two people, such as a father and a son. */
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
 * Returns false if two similar middle names are different known names, such as Nina and Tina. Otherwise it may be a
 * typo.
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
 * Removes the name on which both agree. If it is a middle name on one side, that side's first name takes its place.
 * Paul David is not John Paul, who may be his father.
 */
function withoutMatchedName(
  comparing: Comparing,
  { first, middles }: Reading,
  donor: Candidate,
): { mine: readonly string[]; theirs: readonly string[] } {
  // "Robert Bob" has no middle name. "Linda Lynn" has one.
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

/** Two full middle names belong to two people. An initial may be wrong or belong to another name. */
function weighOtherMiddle(
  mine: readonly string[],
  theirs: readonly string[],
  reading: Pick<Reading, 'last' | 'lastParts'>,
  donor: Candidate,
): Evidence[] | undefined {
  const hasInitial = [mine, theirs].some((side) => side.every((one) => one.length === 1));
  if (!hasInitial) return undefined;
  // If both have the same last name, its initial does not explain the difference.
  const others = [
    ...reading.lastParts.filter((part) => part !== donor.last && !donor.lastParts.includes(part)),
    ...donor.lastParts.filter((part) => part !== reading.last && !reading.lastParts.includes(part)),
  ];
  const explained = (side: readonly string[]) =>
    side.some((one) => one.length === 1 && others.some((other) => other.startsWith(one)));
  return explained(mine) || explained(theirs) ? [] : [OTHER_INITIAL];
}

/**
 * True if the first and the middle name are the same but in reverse order. One of them may be an initial. Records
 * exchange names less often than brothers share two names.
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

/** True if a person's first name is the other person's middle name. An initial alone is not enough. */
export function fitsFull(comparing: Comparing, first: string, middle: string): boolean {
  if (first.length === 1 || middle.length === 1) return false;
  const isMistyped = () =>
    isTypoOfLong(first, middle) && mayBeOwnName(comparing, first, middle, false) === 'never';
  return first === middle || isMistyped();
}

function isTypoOfLong(one: string, other: string): boolean {
  return Math.min(one.length, other.length) >= 6 && isTypo(one, other);
}
