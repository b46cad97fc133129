/** Names, made comparable: how they are normalised, and the ways in which one may be read. */

import { formsOf } from './nicknames.ts';
import { spellingsOf } from './spellings.ts';
import { withinOneEdit, words } from './words.ts';

/** A name in lower case without accents, titles, suffixes and punctuation; parts may be empty. */
export interface ComparableName {
  first: string;
  /** What follows the first name in its field, or the known middle name. */
  middles: string[];
  /** Without spaces, so that "Van der Berg" and "Vanderberg" agree. */
  last: string;
  /** The single names of a last name that has several: "García-López" and "Garcia Lopez". */
  lastParts: string[];
  /** The generation that a suffix names, such as 2 for "Jr" and for "II"; null without one. */
  generation: number | null;
}

/** How well a first name agrees, best first: the same, a short form, another spelling, an initial, one typo. */
export type FirstNameFit = 'same' | 'nickname' | 'spelling' | 'initial' | 'typo';

/** One way in which a submitted name may be read. */
export interface Reading extends ComparableName {
  way: 'as written' | 'swapped' | 'in one field';
}

const TITLES = new Set(
  words('mr mrs ms miss mx dr prof professor rev reverend hon honorable sir judge sen senator'),
);
const SUFFIXES = new Set(
  words('jr sr ii iii iv v md phd esq dds cpa jd rn mba ret facs dvm 2nd 3rd 4th'),
);
/** Where a former last name begins. */
const FORMERLY = new Set(['nee', 'formerly', 'fka']);
const PARTICLES = new Set(
  words('van von vom der den de del della di da dos du la le st saint ter ten af av el al bin y'),
);

/** "Jr" and "II" are one generation; a single "V" or "I" may be an initial. */
const GENERATIONS = new Map([
  ['sr', 1],
  ['senior', 1],
  ['jr', 2],
  ['junior', 2],
  ['ii', 2],
  ['2nd', 2],
  ['iii', 3],
  ['3rd', 3],
  ['iv', 4],
  ['4th', 4],
]);

/** A typo is forgiven in names of at least this length, of which it may drop a letter: shorter ones would be other names. */
const MIN_TYPO_LENGTH = 4;

/** Normalises a name; a remark in brackets, like a nickname, is left out. */
export function comparableName(
  first: string,
  middle: string,
  last: string,
  suffix = '',
): ComparableName {
  const given = givenWords(withoutBrackets(first));
  const name = nameOf([...given, ...words(middle)], familyWords(withoutBrackets(last)));
  return { ...name, generation: generationIn(`${suffix} ${last}`) };
}

/**
 * The ways in which two fields may hold a name, the likeliest first: as they are, the other way
 * round, or the whole name in one of them. A name in brackets is another first name.
 */
export function readingsOf(first: string, last: string): Reading[] {
  const given = givenWords(withoutBrackets(first));
  const family = familyWords(withoutBrackets(last));
  const generation = generationIn(`${first} ${last}`);
  const isWhole = (field: string, other: readonly string[]) =>
    words(field).length > 1 && (other.length === 0 || field.includes(','));
  const readings: Reading[] = [
    ...readAs('as written', withoutFamily(given, family), family),
    ...bracketed(first).flatMap((name) => readAs('as written', [name], family)),
    ...(isWhole(first, family) ? readWhole(first) : []),
    ...(isWhole(last, given) ? readWhole(last) : []),
    ...(isSame(given, family) ? readWhole(last) : []),
    ...readAs('swapped', family, given),
  ];
  return readings.slice(0, MAX_READINGS).map((reading) => ({ ...reading, generation }));
}

/** The generation that a text names; a suffix never comes first. */
function generationIn(text: string): number | null {
  for (const word of words(text).toReversed()) {
    const generation = GENERATIONS.get(word);
    if (generation !== undefined) return generation;
  }
  return null;
}

/** Each reading is a search of its own. */
const MAX_READINGS = 6;

/** How the first name of a person agrees with that of a donor; undefined if it does not. */
export function fitFirstName(person: string, donor: string): FirstNameFit | undefined {
  if (person === donor) {
    return 'same';
  }
  if (person.length === 1 || donor.length === 1) {
    return person[0] === donor[0] ? 'initial' : undefined;
  }
  if (formsOf(person).has(donor)) {
    return 'nickname';
  }
  if (spellingsOf(person).has(donor)) {
    return 'spelling';
  }
  return isTypo(person, donor) ? 'typo' : undefined;
}

/** Whether a name may be another one with a typo in it. */
export function isTypo(one: string, other: string): boolean {
  const isLong = Math.max(one.length, other.length) >= MIN_TYPO_LENGTH;
  return (
    isLong && Math.min(one.length, other.length) >= MIN_TYPO_LENGTH - 1 && withinOneEdit(one, other)
  );
}

/** Whether two middle names agree: an initial agrees with every name that it begins. */
export function middlesAgree(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one) || isTypo(one, other);
}

function readAs(way: Reading['way'], given: string[], family: string[]): Reading[] {
  const name = nameOf(given, family);
  return name.first === '' || name.last === '' ? [] : [{ ...name, way }];
}

/** "Ann Marie Lee", "Lee, Ann Marie": the last word, or what stands before the comma. */
function readWhole(text: string): Reading[] {
  const [before = '', after] = withoutBrackets(text).split(
    /,(?!\s*(?:jr|sr|ii|iii|iv|md|phd|esq)\b)/i,
  );
  if (after !== undefined) return readAs('in one field', givenWords(after), familyWords(before));
  const all = familyWords(text).filter((word) => !TITLES.has(word));
  const particle = all.findIndex((word, at) => at > 0 && PARTICLES.has(word));
  const cuts = particle === -1 ? [all.length - 1, all.length - 2] : [particle];
  return cuts
    .filter((cut) => cut > 0)
    .flatMap((cut) => readAs('in one field', all.slice(0, cut), all.slice(cut)));
}

function nameOf(given: readonly string[], family: readonly string[]): ComparableName {
  const [first = '', ...middles] = given;
  const parts = family.filter((word) => !PARTICLES.has(word) && !FORMERLY.has(word));
  const own = family.slice(0, formerAt(family));
  return {
    first,
    middles,
    last: own.join(''),
    lastParts: parts.length > 1 ? parts : [],
    generation: null,
  };
}

function formerAt(family: readonly string[]): number {
  const at = family.findIndex((word) => FORMERLY.has(word));
  return at > 0 ? at : family.length;
}

function givenWords(text: string): string[] {
  return words(text).filter((word) => !TITLES.has(word) && !isSuffix(word));
}

function familyWords(text: string): string[] {
  const all = words(text).filter((word) => !TITLES.has(word));
  const own = all.filter((word, at) => at === 0 || !SUFFIXES.has(word));
  return own.length === 1 && SUFFIXES.has(own[0] ?? '') ? [] : own;
}

/** "V" may be an initial. */
function isSuffix(word: string): boolean {
  return word.length > 1 && SUFFIXES.has(word);
}

/** "John Smith" in the one field and "Smith" in the other. */
function withoutFamily(given: string[], family: readonly string[]): string[] {
  const tail = given.slice(-family.length);
  return given.length > family.length && isSame(tail, family)
    ? given.slice(0, -family.length)
    : given;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}

const BRACKETS = /\([^()]*\)|"[^"]*"|“[^“”]*”/g;

function withoutBrackets(text: string): string {
  const plain = text.replaceAll(BRACKETS, ' ');
  return words(plain).length > 0 ? plain : text;
}

function bracketed(text: string): string[] {
  return (text.match(BRACKETS) ?? []).flatMap((part) => words(part).slice(0, 1));
}
