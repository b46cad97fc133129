/** Normalises names, and finds the different ways in which a name can be read. */

import { lastNameKey, scanKey, soundKey, spellingKey, toLatin } from './latin.ts';
import { formsOf } from './nicknames.ts';
import { spellingsOf } from './spellings.ts';
import { withinOneEdit, withinTwoEdits, words } from './words.ts';

/** A name in lower case, without accents, titles, suffixes and punctuation. Parts of a name may be empty. */
export interface ComparableName {
  first: string;
  /** The words after the first name, or the middle name if the middle name has its own field. */
  middles: string[];
  /** The last name without spaces, so that "Van der Berg" and "Vanderberg" agree. */
  last: string;
  /** The parts of a last name such as "García-López" or "Garcia Lopez". */
  lastParts: string[];
  /**
   * The generation that a suffix names, for example 2 for "Jr" and "II". The generation is null if the name has no
   * suffix.
   */
  generation: number | null;
}

/** How well two first names agree, from best to worst: from equal names to two errors from scanning or typing. */
export type FirstNameFit = 'same' | 'nickname' | 'spelling' | 'initial' | 'typo' | 'slips';

export interface Reading extends ComparableName {
  way: 'as written' | 'swapped' | 'in one field';
  /** True if a woman is addressed with "Mrs." and possibly with her husband's name, as in "Mrs. John Smith". */
  isMrs: boolean;
}

const TITLES = new Set(
  words('mr mrs ms miss mx dr prof professor rev reverend hon honorable sir judge sen senator'),
);
const MRS = /^\s*mrs\b/i;
const SUFFIXES = new Set(
  words('jr sr ii iii iv v md phd esq dds cpa jd rn mba ret facs dvm 2nd 3rd 4th'),
);
/** Words that precede a former last name. */
const FORMERLY = new Set(['nee', 'formerly', 'fka']);
const PARTICLES = new Set(
  words('van von vom der den de del della di da dos du la le st saint ter ten af av el al bin y'),
);

/** "Jr" and "II" mean the same generation. A single "V" or "I" may be an initial. */
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

/**
 * The minimum number of letters in a name that may contain a typing error. The misspelled name may be one letter
 * shorter. In a shorter name, a typing error produces another real name.
 */
const MIN_TYPO_LENGTH = 4;

/** Normalises a name. The function removes a remark in brackets, such as a nickname. */
export function comparableName(
  first: string,
  middle: string,
  last: string,
  suffix = '',
): ComparableName {
  const given = givenWords(withoutBrackets(spreadInitials(first)));
  const name = nameOf(
    [...given, ...words(spreadInitials(middle))],
    familyWords(withoutBrackets(last)),
  );
  return { ...name, generation: generationIn(`${suffix} ${last}`) };
}

/**
 * Returns the possible readings of two name fields, most likely first. The fields may be correct or swapped, or one of
 * them may contain the whole name. A name in brackets is an alternative first name. Returns an empty list if the fields
 * name only a different person.
 */
export function readingsOf(written: string, writtenLast: string): Reading[] {
  if (OF_ANOTHER.test(written) || OF_ANOTHER.test(writtenLast)) return [];
  const withRank = spreadInitials(withoutNotes(toLatin(written)));
  const first = withoutRank(withRank);
  const last = withoutNotes(toLatin(writtenLast));
  const given = givenWords(withoutBrackets(first));
  const family = familyWords(withoutBrackets(last));
  const former = formerWords(last);
  const generation = generationIn(words(`${first} ${last}`).slice(1).join(' '));
  const isMrs = MRS.test(first) || (first.trim() === '' && MRS.test(last));
  const isWhole = (field: string, other: readonly string[]) =>
    words(field).length > 1 && (other.length === 0 || field.includes(','));
  const members = membersOf(first);
  const readings: Reading[] = [
    ...(members.length > 0 ? [] : readAs('as written', withoutFamily(given, family), family)),
    ...(first === withRank ? [] : readAs('as written', givenWords(withRank), family)),
    ...otherSaint(family).flatMap((saint) => readAs('as written', given, saint)),
    ...bracketed(first).flatMap((name) => readAs('as written', [name], family)),
    ...members.flatMap((member) => readAs('as written', givenWords(member), family)),
    ...(isWhole(first, family) ? readWhole(first) : []),
    ...(isWhole(last, given) ? readWhole(last) : []),
    ...(isSame(given, family) ? readWhole(last) : []),
    ...readAs('swapped', family, given),
  ];
  return readings.slice(0, MAX_READINGS).map((reading) => ({
    ...reading,
    ...(former.length > 0 ? { lastParts: [...family, ...reading.lastParts, ...former] } : {}),
    ...{ generation, isMrs },
  }));
}

/**
 * Returns the generation in a text. If there are several suffixes, the last suffix counts. At the start of a text, the
 * word belongs to the name, as in Junior Lee.
 */
function generationIn(text: string): number | null {
  for (const word of words(text).toReversed()) {
    const generation = GENERATIONS.get(word);
    if (generation !== undefined) return generation;
  }
  return null;
}

/** The maximum number of readings of one name. Each reading needs a separate search. */
const MAX_READINGS = 8;

/** Returns how well the first names of a person and a donor agree. Returns undefined if the names do not agree. */
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
  if (isTypo(person, donor)) return 'typo';
  return areTwoSlips(person, donor) ? 'slips' : undefined;
}

/** Returns true if two names are transliterations of one name from a different alphabet. */
export function areSpellings(one: string, other: string): boolean {
  return (
    Math.min(one.length, other.length) >= MIN_TYPO_LENGTH && spellingKey(one) === spellingKey(other)
  );
}

/**
 * Returns true if two last names are spellings of the same name. The function accepts short names too, because it does
 * not look for typing errors.
 */
export function areLastNameSpellings(one: string, other: string): boolean {
  return (
    Math.min(one.length, other.length) >= MIN_LAST_NAME_LENGTH &&
    lastNameKey(one) === lastNameKey(other)
  );
}

const MIN_LAST_NAME_LENGTH = 3;

/** Returns true if the letters suggest that two first names are spellings of one English name. */
export function soundAlike(one: string, other: string): boolean {
  const isLong = Math.min(one.length, other.length) >= MIN_TYPO_LENGTH;
  return isLong && soundKey(one) === soundKey(other) && !TWO_OF_ONE_SOUND.has(`${one} ${other}`);
}

/** Pairs of names with the same sound that two sisters may have. */
const TWO_OF_ONE_SOUND = new Set(['mary marie', 'marie mary']);

/**
 * Returns true if scanning errors may have changed one name into the other name. Two typing errors in a long name also
 * count.
 */
export function areTwoSlips(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  if (shorter < MIN_SLIPS_LENGTH) return false;
  const [mine, theirs] = [scanKey(one), scanKey(other)];
  if (mine === theirs) return true;
  return shorter >= LONG_NAME && (withinTwoEdits(one, other) || withinOneEdit(mine, theirs));
}

const MIN_SLIPS_LENGTH = 4;
const LONG_NAME = 6;

/** Returns true if a typing error may have changed one name into the other name. */
export function isTypo(one: string, other: string): boolean {
  const isLong = Math.max(one.length, other.length) >= MIN_TYPO_LENGTH;
  return (
    isLong && Math.min(one.length, other.length) >= MIN_TYPO_LENGTH - 1 && withinOneEdit(one, other)
  );
}

/**
 * Returns true if two middle names can belong to one person. An initial agrees with every name that starts with the
 * initial.
 */
export function middlesAgree(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one) || isTypo(one, other);
}

function readAs(way: Reading['way'], given: string[], family: string[]): Reading[] {
  const name = nameOf(given, family);
  return name.first === '' || name.last === '' ? [] : [{ ...name, way, isMrs: false }];
}

/**
 * Reads a whole name from a single field. In "Ann Marie Lee", the last name is the last word or the last two words. In
 * "Lee, Ann Marie", the last name is the text before the comma.
 */
function readWhole(text: string): Reading[] {
  const [before = '', after] = withoutBrackets(spreadInitials(text)).split(
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

/** Returns true for a suffix. The letter "V" does not count as a suffix, because it may be an initial. */
function isSuffix(word: string): boolean {
  return word.length > 1 && SUFFIXES.has(word);
}

/** Removes the last name if the first-name field contains it too, as in "John Smith" and "Smith". */
function withoutFamily(given: string[], family: readonly string[]): string[] {
  const tail = given.slice(-family.length);
  return given.length > family.length && isSame(tail, family)
    ? given.slice(0, -family.length)
    : given;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}

/** Notes in a name field, for example "in care of", or the reason for which a letter was returned. */
const NOTES =
  /\*[^*]*\*?|\b(?:attn|attention|in care of|the estate of|estate of|the late|formerly known as)\b:?|\b[ct]\/o\b|\b(?:deceased|dec'?d|do not (?:mail|call|contact)|dnm|vip|household|family|bounced|moved|returned?)\b\??/gi;

/**
 * Matches a text that names a person only through a different person, as in "Widow of William". The name in the text
 * belongs to the different person.
 */
const OF_ANOTHER =
  /^\W*(?:the )?(?:widow|widower|wife|husband|spouse|partner|parents?|mother|father|sons?|daughters?|child|children|brothers?|sisters?|family|friends?|heirs?|executor|guardian|trustees?|in (?:loving )?memory|in honou?r) of\s+(?=\p{L})/iu;

/** Matches a field that contains only "in care of", while the other field contains the name. */
const CARE_OF = /^\W*(?:[ct]\/o|(?:in )?care of|att(?:n|ention))\W*$/i;

/** Matches a dash with spaces on both sides, after which the text is a note. */
const DASH = /\s[-–—]\s/;

function withoutNotes(text: string): string {
  if (CARE_OF.test(text)) return '';
  const dash = text.search(DASH);
  const plain = (dash < 0 ? text : text.slice(0, dash)).replaceAll(NOTES, ' ');
  return words(plain).length > 0 ? plain : text;
}

/**
 * Ranks and offices that precede a first name. The list excludes words that are also common first names, such as Dean
 * and Major.
 */
const RANK =
  /^\s*(?:(?:capt|captain|lt|lieutenant|lieut|col|colonel|maj|brig|gen|sgt|sergeant|cpl|corporal|pvt|ens|ensign|cdr|cmdr|commander|adm|admiral|fr|father|pastor|brother|sister|rabbi|imam|msgr|monsignor|gov|governor|mayor|amb|ambassador|rep|congressman|congresswoman|sheriff|chief|coach)\.?\s+)+(?=\p{L}{2})/iu;

function withoutRank(first: string): string {
  const plain = first.replace(RANK, '');
  return words(plain).length > 0 ? plain : first;
}

/**
 * Separates initials that are written together. "R.W." and "RW" are two initials, but "M.D." after a name is a degree.
 */
function spreadInitials(text: string): string {
  if (/^\s*[BCDFGHJ-NP-TV-XZ]{2}\s*$/.test(text) && !TITLES.has(words(text).join(''))) {
    return text.trim().split('').join(' ');
  }
  return text.replaceAll(DOTTED, (dotted, at: number) => {
    const isDegree = at > 0 && SUFFIXES.has(words(dotted).join(''));
    return isDegree ? dotted : dotted.replaceAll('.', '. ');
  });
}

/** Matches initials with full stops and without spaces, as in "R.W." and "J.R.Lee". */
const DOTTED = /(?<![\p{L}.])(?:\p{L}\.)+(?=\p{L})(?:\p{L}\.)*/gu;

/**
 * Returns other spellings of a last name with "Saint". "Saint Clair" and "St. Clair" are the same last name. "Saint" or
 * "St" alone is not a last name.
 */
function otherSaint(family: readonly string[]): string[][] {
  const other = family.map((word, at) =>
    at < family.length - 1 ? (SAINT.get(word) ?? word) : word,
  );
  return isSame(other, family) ? [] : [other];
}

const SAINT = new Map([
  ['st', 'saint'],
  ['saint', 'st'],
]);

/** Returns the two people in a record such as "John & Mary" or "Mr. and Mrs. John". */
function membersOf(first: string): string[] {
  const members = withoutBrackets(first)
    .replaceAll(/\s+/g, ' ')
    .split(/[&+/]|\s(?:and|und|y|et)\s/i)
    .map((member) => member.trim());
  return members.length === 2 ? members : [];
}

const BRACKETS = /\([^()]*\)|\[[^[\]]*\]|"[^"]*"|“[^“”]*”/g;

function withoutBrackets(text: string): string {
  const plain = text.replaceAll(BRACKETS, ' ');
  return words(plain).length > 0 ? plain : text;
}

/**
 * Returns additional last names in brackets, as in "Jones (née Smith)" and "Jones (Smith)". If the brackets contain
 * more words, they are a note.
 */
function formerWords(last: string): string[] {
  return (last.match(BRACKETS) ?? []).flatMap((part) => {
    const names = words(part).filter((word) => !FORMERLY.has(word) && !SUFFIXES.has(word));
    return names.length <= 2 ? names.filter((name) => /^\p{L}{2,}$/u.test(name)) : [];
  });
}

function bracketed(text: string): string[] {
  return (text.match(BRACKETS) ?? []).flatMap((part) => words(part).slice(0, 1));
}
