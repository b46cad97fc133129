import type { Identity } from '../core/contact.ts';
import { countMistakes } from '../core/near-miss.ts';
import type { Profile } from '../core/profile.ts';
import { type LastName, parseGivenNames, parseLastName } from './name-words.ts';
import { isGivenName, isSurname, shareRoot } from './names.ts';

/** Whether donor-sync may write a profile into a contact, based on the two names. */
export type NameMatch =
  | { match: true }
  | {
      match: false;
      reason: 'last_name_differs' | 'first_name_unrelated' | 'profile_name_missing';
    };

/**
 * Compares the name in a profile with the contact's name. If the last name is different or the first name is unrelated,
 * the profile belongs to another person (design, section 3, "deliver"), and donor-sync writes none of its values. After
 * a wrong mismatch, a user only has to check the contact. A wrong match would write a stranger's wealth into the
 * record. Doubtful names therefore do not match:
 *
 * - `Maria` is not `Mary`, and `José` is not `Joseph`, because translations are different names.
 * - Two common names that differ in one letter (`Daniel`, `Daniela`) are two people, not a typo.
 * - `John A.` is not `John B.`, and `Smith Jr.` is not `Smith Sr.`, because families distinguish fathers from sons in
 *   this way.
 * - First and last name may be swapped only if the words are exactly the same and only one of them is a given name.
 *   `James Thomas` and `Thomas James` are two people.
 */
export function guardName(
  profileName: Profile['name'],
  contactName: Pick<Identity, 'firstName' | 'lastName'>,
): NameMatch {
  const firstNames = parseGivenNames(profileName.first ?? '');
  const profile = {
    given: profileReadings(firstNames, profileName),
    last: parseLastName(profileName.last ?? ''),
  };
  const contact = {
    given: parseGivenNames(contactName.firstName ?? ''),
    last: parseLastName(contactName.lastName ?? ''),
  };
  if (profile.given.length === 0 || profile.last.whole === '') {
    return { match: false, reason: 'profile_name_missing' };
  }
  if (isSwapped(firstWord(firstNames), profile.last, firstWord(contact.given), contact.last)) {
    return { match: true };
  }
  if (!lastNamesAgree(profile.last, contact.last)) {
    return { match: false, reason: 'last_name_differs' };
  }
  const related = profile.given.some((mine) =>
    contact.given.some((theirs) => givenNamesRelate(mine, theirs)),
  );
  return related ? { match: true } : { match: false, reason: 'first_name_unrelated' };
}

/** Returns all ways to read a profile's first name, each followed by the middle name. */
function profileReadings(
  firstNames: readonly string[][],
  { middle }: Pick<Profile['name'], 'middle'>,
): string[][] {
  const middleNames = parseGivenNames(middle ?? '')[0] ?? [];
  const readings = firstNames.map((names) => [...names, ...middleNames]);
  return readings.length === 0 && middleNames.length > 0 ? [middleNames] : readings;
}

/** Returns a first-name field as one word. Leaves out a middle name that has its own field. */
function firstWord(readings: readonly string[][]): string {
  return readings[0]?.join('') ?? '';
}

function isSwapped(mine: string, myLast: LastName, theirs: string, theirLast: LastName): boolean {
  if (mine !== theirLast.whole || theirs !== myLast.whole) return false;
  return isGivenName(mine) !== isGivenName(theirs);
}

/** The minimum length of a word in which one different letter may be a typo. */
const LEAST_LETTERS_FOR_TYPO = 5;

function lastNamesAgree(mine: LastName, theirs: LastName): boolean {
  if (generationsDiffer(mine, theirs)) return false;
  return (
    sameSurname(mine.whole, theirs.whole) ||
    sameSurname(mine.parts.join(''), theirs.parts.join('')) ||
    isPartOf(mine, theirs) ||
    isPartOf(theirs, mine) ||
    haveSameParts(mine, theirs)
  );
}

function generationsDiffer(mine: LastName, theirs: LastName): boolean {
  if (mine.generation === null || theirs.generation === null) return false;
  return mine.generation !== theirs.generation;
}

function sameSurname(mine: string, theirs: string): boolean {
  return mine === theirs || isMisprint(mine, theirs, isSurname);
}

/** True if one name is a part of the other name, as in `Smith` and `Smith-Jones`, or `García` and `García López`. */
function isPartOf(single: LastName, double: LastName): boolean {
  const [only, ...others] = single.parts;
  return only !== undefined && others.length === 0 && double.parts.includes(only);
}

/** True for names with the same parts, such as `Smith-Jones` and `Jones-Smith`. */
function haveSameParts(mine: LastName, theirs: LastName): boolean {
  return mine.parts.toSorted().join(' ') === theirs.parts.toSorted().join(' ');
}

function givenNamesRelate(mine: readonly string[], theirs: readonly string[]): boolean {
  return namesLineUp(joinedLike(mine, theirs), joinedLike(theirs, mine));
}

/**
 * Joins two names if the model contains them as one word. Examples are `Mary Ann` for `Maryann`, and `Jo Ann` for
 * `Joanne`.
 */
function joinedLike(names: readonly string[], model: readonly string[]): readonly string[] {
  const [first = '', second = '', ...others] = names;
  const [single = ''] = model;
  const joined = first + second;
  return joined === single || shareRoot(joined, single) ? [joined, ...others] : names;
}

/**
 * True if each name in the shorter list matches a name in the longer list, in the same order. Examples are `Scott` for
 * `Robert Scott`, and `John Q.` for `John Quincy`. An initial matches only the first name, or a name directly after a
 * name that has already matched.
 */
function namesLineUp(mine: readonly string[], theirs: readonly string[]): boolean {
  const [shorter, longer] = mine.length <= theirs.length ? [mine, theirs] : [theirs, mine];
  let next = 0;
  for (const [index, name] of shorter.entries()) {
    const found = longer.findIndex((other, place) => {
      if (place < next) return false;
      const mayBeInitial = index > 0 || place === 0;
      return sameGivenName(name, other) || (mayBeInitial && isInitialOf(name, other));
    });
    if (found === -1) return false;
    next = found + 1;
  }
  return shorter.length > 0;
}

function sameGivenName(mine: string, theirs: string): boolean {
  return mine === theirs || shareRoot(mine, theirs) || isMisprint(mine, theirs, isGivenName);
}

function isInitialOf(mine: string, theirs: string): boolean {
  const [shorter, longer] = mine.length <= theirs.length ? [mine, theirs] : [theirs, mine];
  return /^[a-z]$/.test(shorter) && longer.startsWith(shorter);
}

/**
 * True if the words differ in one letter that may be a typo. The word must be long, and at least one spelling must not
 * be a common name.
 */
function isMisprint(mine: string, theirs: string, isName: (word: string) => boolean): boolean {
  if (Math.min(mine.length, theirs.length) < LEAST_LETTERS_FOR_TYPO) return false;
  if (Math.abs(mine.length - theirs.length) > 1 || countMistakes(mine, theirs) > 1) return false;
  return !(isName(mine) && isName(theirs));
}
