/**
 * Decides whether two different first names can belong to the same person. They can be forms, spellings or errors of
 * one name, or the names of two people, such as siblings or couples.
 */
import type { DonorIndex } from './donor-index.ts';
import { scanKey } from './latin.ts';
import { soundAlike } from './names.ts';
import { areCommonForms, formsOf, isPetFormOf, isShortFor } from './nicknames.ts';
import type { Population } from './population.ts';
import { spellingsOf } from './spellings.ts';
import { chanceOfSlip, isOtherStart } from './typos.ts';

/**
 * Returns true if both names are short forms of a third name but otherwise unrelated, such as Gary and Jerry, who may
 * both be Gerard. If children are given both as separate names, a Gary is not a Jerry.
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
 * Returns true if a list connects two names that are both given to children as separate names, such as Jane and Jean or
 * William and Wilma. Siblings and couples have such names, so a shared home does not prove that they are the same
 * person.
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
 * Returns true if one short form is a variant of the other, such as Deb and Debi. Other pairs of short forms, such as
 * Chris and Tina or Steph and Steve, also belong to different names.
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

/** If at least this many people are given a name, it is the full name of most of them. */
const LEAST_BIRTHS = 3_200;

/**
 * Shares of the people who are given a name: names that are not listed at all, and names that are so rare that they are
 * usually short forms.
 */
export const RARELY_GIVEN = { never: 2e-5, seldom: 4e-4 };

/** Returns true if two names are spellings of the same name, and not a man's and a woman's name. */
export function isSpelledOtherwise(population: Population, one: string, other: string): boolean {
  const { isMansName, isWomansName } = population;
  if (!soundAlike(one, other)) return false;
  return !(isMansName(one) && isWomansName(other)) && !(isWomansName(one) && isMansName(other));
}

/**
 * True if one of two similar names is a separate name. Joan is not a typo of John, because both are known names. Of two
 * names that are not both known, the rarer one may be a typo of the other. It depends on how often this typo is made
 * and on how many people have the rarer name: "Willam" is a typo of William. Barrie is not one of Carrie, because
 * hardly anyone who means Carrie hits a B.
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
  // The donor and one more donor with the same error do not make it a name.
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
 * `mistaken`: for each person who has the rarer name, this many have the other one, and it is written in this way by
 * mistake. `likelier`: how many times likelier the mistake is than a second person with exactly the rarer name. Relatives'
 * names resemble each other more than names of strangers do, so this is much more than 0.97 to 0.03.
 */
const MISTAKEN = {
  never: { mistaken: 0.2, likelier: 200 },
  perhaps: { mistaken: 0.1, likelier: 20 },
};

/** How often another spelling comes from a transliteration. */
const BY_SPELLING = 1 / 16;

/** The number of donors with a first name from which it can be a real name that no list contains. */
const LEAST_BEARERS = 2;

/**
 * Returns true if two unknown names can differ by a typing error. Such an error does not change the start of the name,
 * and no more letters than a scan would.
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
  // Nobody is given the name "Veronic", in which a letter is missing.
  const isCut =
    `${man}a` === woman && !isGivenName(man) && births(man) * MUCH_RARER < births(woman);
  if (isCut) return false;
  const stem = man.replace(MANS_ENDING, '');
  return stem.length >= LEAST_STEM && woman.replace(WOMANS_ENDING, '') === stem;
}

const MANS_ENDING = /(?:iy|ij|us|ck|[ckoeyi])$/;
const WOMANS_ENDING = /(?:iya|ina|[ckipy]?a)$/;
const LEAST_STEM = 4;
/** If a man's form of a woman's name is really used, more people than this fraction of the women have it. */
const MUCH_RARER = 1_000;
