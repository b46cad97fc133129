/** The evidence of middle names, and of given names in another order. */

import type { Candidate } from './donor-index.ts';
import { type Comparing, type Evidence, MOSTLY_TWO } from './evidence.ts';
import { mayBeOwnName, RARELY_GIVEN } from './given-name-pairs.ts';
import { fitFirstName, isTypo, middlesAgree, type Reading } from './names.ts';
import { isShortFor } from './nicknames.ts';

/** For the same person, 2 % of the middle initials differ; for two people, nearly all. */
const OTHER_INITIAL = {
  ...{ bits: Math.log2(0.02 / 0.93), reason: 'The middle initial is another one' },
  ...{ isContradiction: true, atMost: MOSTLY_TWO },
};
/** Nina is seldom a mistake for Tina: two relatives may have these middle names. */
const OTHER_NAME = {
  ...{ bits: Math.log2(0.05), reason: 'The middle name is another known name' },
  ...{ isContradiction: true, atMost: MOSTLY_TWO },
};
const MIDDLE_M = 0.6;

/** Weighs the middle names. Different middle names indicate two people, such as a father and a son. */
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

/** Returns whether two middle names that agree but for a typo are not two known names, such as Nina and Tina. */
function areOneMiddle(comparing: Comparing, one: string, other: string): boolean {
  if (!middlesAgree(one, other)) return false;
  const isPart = one.startsWith(other) || other.startsWith(one);
  const fit = fitFirstName(one, other);
  if (isPart || fit === 'spelling' || fit === 'nickname') return true;
  return mayBeOwnName(comparing, one, other, false) !== 'surely';
}

const WHOLE_NAME: Pick<Evidence, 'isWholeName'> = { isWholeName: true };

/**
 * Returns the given names of both sides without the name by which they agree. If that is a middle name on one
 * side, the first name on that side is compared like a middle name. Paul David is not John Paul, who may be
 * his father.
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

/**
 * Weighs different middle names. If both are written in full, they mean two people. An initial may be wrong, or belong
 * to another name of either person.
 */
function weighOtherMiddle(
  mine: readonly string[],
  theirs: readonly string[],
  reading: Pick<Reading, 'last' | 'lastParts'>,
  donor: Candidate,
): Evidence[] | undefined {
  const hasInitial = [mine, theirs].some((side) => side.every((one) => one.length === 1));
  if (!hasInitial) return undefined;
  // The initial of a last name that both have does not explain the difference.
  const others = [
    ...reading.lastParts.filter((part) => part !== donor.last && !donor.lastParts.includes(part)),
    ...donor.lastParts.filter((part) => part !== reading.last && !reading.lastParts.includes(part)),
  ];
  const explained = (side: readonly string[]) =>
    side.some((one) => one.length === 1 && others.some((other) => other.startsWith(one)));
  return explained(mine) || explained(theirs) ? [] : [OTHER_INITIAL];
}

/**
 * True if the first and the middle name agree, but in the other order. One of the two may be an initial. Records
 * exchange them less often than families give two brothers the same two names.
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

/** True if a first name is a middle name of the other, and not only its initial. */
export function fitsFull(comparing: Comparing, first: string, middle: string): boolean {
  if (first.length === 1 || middle.length === 1) return false;
  const isMistyped = () =>
    isTypoOfLong(first, middle) && mayBeOwnName(comparing, first, middle, false) === 'never';
  return first === middle || isMistyped();
}

function isTypoOfLong(one: string, other: string): boolean {
  return Math.min(one.length, other.length) >= 6 && isTypo(one, other);
}
