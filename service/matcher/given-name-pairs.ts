/**
 * Decides whether two different first names can belong to one person. The two names can be forms, spellings or
 * misspellings of one name. The names can also belong to two people, such as siblings or couples.
 */
import type { DonorIndex } from './donor-index.ts';
import { scanKey } from './latin.ts';
import { soundAlike } from './names.ts';
import { areCommonForms, formsOf, isPetFormOf, isShortFor } from './nicknames.ts';
import type { Population } from './population.ts';
import { spellingsOf } from './spellings.ts';
import { chanceOfSlip, isOtherStart } from './typos.ts';

/**
 * Returns true if the two names are short forms of one third name. For example, Gary and Jerry can be short forms of
 * Gerard. If parents also choose both short forms as full names, the two names usually belong to two people.
 */
export function areOfOneThird(population: Population, one: string, other: string): boolean {
  return (
    formsOf(one).has(other) &&
    !isShortFor(one, other) &&
    !isVariantOf(one, other) &&
    !areCommonForms(one, other) &&
    areOwnNames(population, one, other)
  );
}

/** Returns true if parents also choose each of the two names as a full name. */
export function areOwnNames(population: Population, one: string, other: string): boolean {
  return [one, other].every(
    (name) =>
      population.first(name) > RARELY_GIVEN.never || population.births(name) >= LEAST_BIRTHS,
  );
}

/**
 * Returns true if the lists connect two names that parents also choose as full names. Examples are Jane and Jean, and
 * William and Wilma. Siblings and couples often have two such names, so a shared home does not show that the names
 * belong to one person.
 */
export function areOftenTwoPeople(population: Population, one: string, other: string): boolean {
  if (areCommonForms(one, other) || spellingsOf(one).has(other)) return false;
  const { isMansName, isWomansName } = population;
  if (!areOwnNames(population, one, other)) return false;
  if (isMansName(one) && isWomansName(other)) return true;
  if (isWomansName(one) && isMansName(other)) return true;
  return !isSeldomShort(population, one, other) && !isSeldomShort(population, other, one);
}

/**
 * Returns true if one short form is a variant of the other short form, such as Deb and Debi. Other short forms, such as
 * Chris and Tina, belong to several names.
 */
export function isVariantOf(one: string, other: string): boolean {
  const isPrefix = one.startsWith(other) || other.startsWith(one);
  return (
    isPrefix || isPetFormOf(one, other) || isPetFormOf(other, one) || spellingsOf(one).has(other)
  );
}

/** Returns true if a rare full name is the start of another name, or a pet form of another name. */
function isSeldomShort(population: Population, short: string, long: string): boolean {
  const isShort = long.startsWith(short) || isPetFormOf(short, long);
  return isShort && population.first(short) < RARELY_GIVEN.seldom;
}

/** The minimum number of births with a name. With more births, the name is usually a full name. */
const LEAST_BIRTHS = 3_200;

/**
 * The shares of people who have a name as their full name. The first share is for names outside the lists. The second
 * share is for rare names, which are usually short forms.
 */
export const RARELY_GIVEN = { never: 2e-5, seldom: 4e-4 };

/**
 * Returns true if two names are spellings of one name. A man's name and a woman's name are never spellings of each
 * other.
 */
export function isSpelledOtherwise(population: Population, one: string, other: string): boolean {
  const { isMansName, isWomansName } = population;
  if (!soundAlike(one, other)) return false;
  return !(isMansName(one) && isWomansName(other)) && !(isWomansName(one) && isMansName(other));
}

/**
 * Returns true if one of two similar names can be a real name and not a typing error. For example, Joan is not a
 * misspelling of John, because both names are known. If at least one of the names is unknown, the rarer name may be a
 * misspelling of the other name. This depends on the frequency of the typing error and on the number of people with the
 * rarer name. For example, "Willam" is a misspelling of William. People who want to type Carrie hardly ever hit a B, so
 * Barrie is not a misspelling.
 */
export function mayBeOwnName(
  { index, population }: { index: DonorIndex; population: Population },
  written: string,
  donors: string,
  isSpelling: boolean,
): OwnName {
  const { isGivenName, births, mayStartName } = population;
  if (isGivenName(written) && isGivenName(donors)) return 'surely';
  const judge = (mine: number, theirs: number, all: number): OwnName => {
    if (mine === 0 || theirs === 0) return 'never';
    const [common, rare] = mine > theirs ? [written, donors] : [donors, written];
    const chance = isSpelling ? BY_SPELLING : chanceOfSlip(common, rare);
    const [fewer, more] = [Math.min(mine, theirs), Math.max(mine, theirs)];
    const isAtLeast = ({ mistaken, likelier }: typeof MISTAKEN.never) =>
      more * chance >= mistaken * fewer && all * chance >= likelier * fewer;
    if (isAtLeast(MISTAKEN.never)) return 'never';
    return isAtLeast(MISTAKEN.perhaps) ? 'perhaps' : 'surely';
  };
  const inPopulation = judge(births(written), births(donors), population.allBirths());
  // A misspelling that only one other donor has is still not a real name.
  const others = [index.countFirstName(written), index.countFirstName(donors) - 1];
  const isInFile = others.every((count) => count >= LEAST_BEARERS);
  const inFile = isInFile ? judge(others[0] ?? 0, others[1] ?? 0, index.donorCount) : 'never';
  if (inPopulation === 'surely' || inFile === 'surely') return 'surely';
  const isOtherName =
    isOtherStart(written, donors) && mayStartName(written) && mayStartName(donors);
  return inPopulation === 'perhaps' || isOtherName ? 'perhaps' : 'never';
}

type OwnName = 'surely' | 'perhaps' | 'never';

/**
 * `mistaken` is the number of people who have the common name but are recorded with the rare name. The number
 * `mistaken` is relative to the number of people who have the rare name. `likelier` compares the probability of a
 * mistake with the probability that a second person has the rare name. Relatives' names are more similar than
 * strangers' names. The value of `likelier` is therefore much larger than 0.97 to 0.03.
 */
const MISTAKEN = {
  never: { mistaken: 0.2, likelier: 200 },
  perhaps: { mistaken: 0.1, likelier: 20 },
};

/** The share of different spellings that come from a transliteration. */
const BY_SPELLING = 1 / 16;

/** The minimum number of donors with a first name that makes it a real name, even if no list contains it. */
const LEAST_BEARERS = 2;

/**
 * Returns true if two unknown names can differ by a typing error. A typing error does not change the start of a name.
 * The error changes only as many letters as a scan does.
 */
export function mayBeSlip(
  { isGivenName, births }: Population,
  one: string,
  other: string,
  fit: 'typo' | 'slips',
): boolean {
  const isKnown = (name: string) => isGivenName(name) || births(name) > 0;
  if (isKnown(one) || isKnown(other)) return true;
  return fit === 'typo' ? one[0] === other[0] : scanKey(one) === scanKey(other);
}

/**
 * Returns true if the names are a man's and a woman's form of one name, such as Eduardo and Eduarda or Philip and
 * Philippa.
 */
export function arePairOfSexes(
  { isWomansName, isGivenName, births }: Population,
  one: string,
  other: string,
): boolean {
  const [woman, man] = one.endsWith('a') ? [one, other] : [other, one];
  if (!woman.endsWith('a') || man.endsWith('a') || isWomansName(man)) return false;
  // The name lacks its last letter, as in "Veronic", which nobody has as a name.
  const isCut =
    `${man}a` === woman && !isGivenName(man) && births(man) * MUCH_RARER < births(woman);
  if (isCut) return false;
  const stem = man.replace(MANS_ENDING, '');
  return stem.length >= LEAST_STEM && woman.replace(WOMANS_ENDING, '') === stem;
}

const MANS_ENDING = /(?:iy|ij|us|ck|[ckoeyi])$/;
const WOMANS_ENDING = /(?:iya|ina|[ckipy]?a)$/;
const LEAST_STEM = 4;
/** The ratio below which a man's form of a name is a typing error. */
const MUCH_RARER = 1_000;
