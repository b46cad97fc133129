/**
 * Decides whether two different first names can belong to the same person. They can be forms, spellings or misspellings
 * of one name. They can also be the names of two people, such as siblings or couples.
 */
import type { DonorIndex } from './donor-index.ts';
import { scanKey } from './latin.ts';
import { soundAlike } from './names.ts';
import { areCommonForms, formsOf, isPetFormOf, isShortFor } from './nicknames.ts';
import type { Population } from './population.ts';
import { spellingsOf } from './spellings.ts';
import { chanceOfSlip, isOtherStart } from './typos.ts';

/**
 * Returns true if both names are short forms of the same third name. For example, Gary and Jerry can both be short for
 * Gerard. If both are also separate names, they are two people.
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

/** Returns true if both names are also given to children as separate names. */
export function areOwnNames(population: Population, one: string, other: string): boolean {
  return [one, other].every(
    (name) =>
      population.first(name) > RARELY_GIVEN.never || population.births(name) >= LEAST_BIRTHS,
  );
}

/**
 * Returns true if a list connects two names that parents also choose as separate names. Examples are Jane and Jean, and
 * William and Wilma. Siblings and couples have such names, so a shared home proves nothing.
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
 * Returns true if one short form is a variant of the other, such as Deb and Debi. Other short forms, such as Chris and
 * Tina, belong to several names.
 */
export function isVariantOf(one: string, other: string): boolean {
  const isPrefix = one.startsWith(other) || other.startsWith(one);
  return (
    isPrefix || isPetFormOf(one, other) || isPetFormOf(other, one) || spellingsOf(one).has(other)
  );
}

/** Returns true if a name that few people are given is the start of another name, or a pet form of it. */
function isSeldomShort(population: Population, short: string, long: string): boolean {
  const isShort = long.startsWith(short) || isPetFormOf(short, long);
  return isShort && population.first(short) < RARELY_GIVEN.seldom;
}

/** With so many births, the name is usually a full name. */
const LEAST_BIRTHS = 3_200;

/**
 * Shares of the people who have a name from birth. The first share is for names outside the lists. The second is for
 * rare names, which are usually short forms.
 */
export const RARELY_GIVEN = { never: 2e-5, seldom: 4e-4 };

/**
 * Returns true if two names are spellings of the same name. A man's name and a woman's name are never spellings of each
 * other.
 */
export function isSpelledOtherwise(population: Population, one: string, other: string): boolean {
  const { isMansName, isWomansName } = population;
  if (!soundAlike(one, other)) return false;
  return !(isMansName(one) && isWomansName(other)) && !(isWomansName(one) && isMansName(other));
}

/**
 * True if one of two similar names is a separate, real name. Joan is not a typo of John, because both are known names.
 * If at least one of two names is unknown, the rarer name may be a typo of the other name. It depends on the frequency
 * of this typo and on the number of people who have the rarer name: "Willam" is a typo of William. Hardly anyone who
 * means Carrie hits a B, so Barrie is not a typo.
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
  // One more donor with the same error does not make it a real name.
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
 * `mistaken`: the number of people who really have the common name but are recorded with the rare name. It is relative
 * to the number of people who really have the rare name. `likelier`: the ratio between the probability of the mistake
 * and that of a second person with the rare name. Relatives' names are more similar than strangers' names. The factor
 * is therefore much larger than 0.97 to 0.03.
 */
const MISTAKEN = {
  never: { mistaken: 0.2, likelier: 200 },
  perhaps: { mistaken: 0.1, likelier: 20 },
};

/** The share of different spellings that come from a transliteration. */
const BY_SPELLING = 1 / 16;

/** A first name that at least this number of donors have can be a real name even if no list contains it. */
const LEAST_BEARERS = 2;

/**
 * Returns true if two unknown names can differ by a typing error. A typo does not change the start of a name. It
 * changes as few letters as a scan does.
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
 * Returns true if the names are a man's and a woman's form of the same name, such as Eduardo and Eduarda or Philip and
 * Philippa.
 */
export function arePairOfSexes(
  { isWomansName, isGivenName, births }: Population,
  one: string,
  other: string,
): boolean {
  const [woman, man] = one.endsWith('a') ? [one, other] : [other, one];
  if (!woman.endsWith('a') || man.endsWith('a') || isWomansName(man)) return false;
  // Nobody has the name "Veronic", which lacks a letter.
  const isCut =
    `${man}a` === woman && !isGivenName(man) && births(man) * MUCH_RARER < births(woman);
  if (isCut) return false;
  const stem = man.replace(MANS_ENDING, '');
  return stem.length >= LEAST_STEM && woman.replace(WOMANS_ENDING, '') === stem;
}

const MANS_ENDING = /(?:iy|ij|us|ck|[ckoeyi])$/;
const WOMANS_ENDING = /(?:iya|ina|[ckipy]?a)$/;
const LEAST_STEM = 4;
/** Below this ratio, a man's form is a typo. */
const MUCH_RARER = 1_000;
