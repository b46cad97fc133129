/** Compares the names of employers. */

import { withinOneEdit, words } from './words.ts';

/** How well the names of two employers agree, from best to worst. */
export type EmployerFit = 'same' | 'typo' | 'part' | 'inner part' | 'initials' | 'two initials';

/** The minimum length of a name in which a typing error is accepted. */
const MIN_TYPO_LENGTH = 6;

const LEGAL_WORDS = new Set(
  words(`the and of for at inc incorporated llc corp corporation co company ltd limited lp llp plc
    pllc pc pa na group gmbh ag sa bv holdings holding`),
);

/** Different spellings of one word. */
const SPELLINGS = new Map(
  `univ university|dept department|intl international|natl national|assn association|assoc associates
   |hosp hospital|ctr center|centre center|mfg manufacturing|svcs services|svc services|bros brothers
   |govt government|mgmt management|tech technology|technologies technology|fdn foundation
   |saint st|ft fort|mt mount|inst institute|labs laboratories|comm commission|cmte committee
   |sys systems|eng engineering|engr engineering|pharma pharmaceuticals|telecommunications telecom
   |dist district|ct court|sch school|med medical|ins insurance|admin administration`
    .split('|')
    .map((pair) => pair.trim().split(' '))
    .map(([from = '', to = '']) => [from, to]),
);

/** Words that occur in many employers' names, and that identify an employer only together with other words. */
const GENERIC = new Set(
  words(`bank university college school hospital foundation services systems partners capital company
    us united states department court national american office center city county state group`),
);

/** Returns an employer's name without its legal form. "ACME, Inc." and "The Acme Company" therefore agree. */
export function comparableEmployer(name: string): string {
  const all = words(
    name.replaceAll(/\bunited states(?: of america)?\b|\bu\.? ?s\.? ?a?\b\.?/gi, ' us '),
  );
  const own = all.filter((word) => !LEGAL_WORDS.has(word));
  return (own.length > 0 ? own : all).map((word) => SPELLINGS.get(word) ?? word).join(' ');
}

/**
 * Converts a name that a person has written to its comparable form. For example, "U of Ohio" becomes the University of
 * Ohio.
 */
export function writtenEmployer(name: string): string {
  return comparableEmployer(name.replace(/\b(?:u|univ)\.? of\b/i, 'university of'));
}

/** Returns how well two comparable names agree, or undefined if they do not. */
export function fitEmployer(one: string, other: string): EmployerFit | undefined {
  if (one === other || one.replaceAll(' ', '') === other.replaceAll(' ', '')) return 'same';
  if (turned(one) === other || turned(other) === one) return 'same';
  if (asDistrict(one) === asDistrict(other)) return 'same';
  const isTypo = one.length >= MIN_TYPO_LENGTH && withinOneEdit(one, other);
  // Names with different numbers belong to different employers, such as Post 1234 and Post 1235.
  if (isTypo && numbersIn(one) === numbersIn(other)) return 'typo';
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const part = fitPart(short.split(' '), long.split(' '));
  if (part !== undefined) return part;
  const isShortened = isAbbreviated(short.split(' '), long.split(' '));
  if (isShortened && numbersIn(one) === numbersIn(other)) return 'part';
  if (!areInitials(short, long)) return undefined;
  return short.replaceAll(' ', '').length > 2 ? 'initials' : 'two initials';
}

/**
 * Moves a word such as "city" or "county" to the front. "Dayton, City of" becomes "City of Dayton", and "Cook County"
 * becomes "County of Cook". Other words stay in place, because Miami University is not the University of Miami.
 */
function turned(name: string): string {
  const all = name.split(' ');
  const kind = all.pop() ?? '';
  return TURNED.has(kind) ? [kind, ...all].join(' ') : name;
}

/**
 * Returns a school district's name with the ending "public schools". In one town, the district and the "public schools"
 * are one employer.
 */
function asDistrict(name: string): string {
  return name.replace(/ public school(?:s| district)$/, ' public schools');
}

const TURNED = new Set(words('city county town township village borough'));

function numbersIn(name: string): string {
  return name.replaceAll(/\D+/g, ' ').trim();
}

/**
 * Compares a name with a longer name. The longer name must contain all words of the shorter name in order, including a
 * distinctive word. "Baker & Acme Foods" is usually a different company from "Acme Foods", because another name comes
 * first.
 */
function fitPart(short: readonly string[], long: readonly string[]) {
  const telling = short.filter((word) => !GENERIC.has(word) && word.length > 2);
  if (telling.length === 0 || (short.length === 1 && (short[0] ?? '').length < MIN_TYPO_LENGTH)) {
    return undefined;
  }
  const skipped: string[] = [];
  let next = 0;
  for (const word of long) {
    if (word === short[next]) next += 1;
    else if (next < short.length) skipped.push(word);
  }
  if (next < short.length) return undefined;
  return skipped.every((word) => GENERIC.has(word) || AREAS.has(word)) ? 'part' : 'inner part';
}

/** Words that precede a name and describe its area. */
const AREAS = new Set(
  words('greater north south east west northern southern eastern western regional global world'),
);

/**
 * Returns true if the first name abbreviates the words of the second name, and at least one distinctive word is written
 * in full. For example, "Harbor Hlth Sys" abbreviates Harbor Health System.
 */
function isAbbreviated(short: readonly string[], long: readonly string[]): boolean {
  const isTold = short.some(
    (word, at) => word === long[at] && word.length > 2 && !GENERIC.has(word),
  );
  const fits = (one: string, other: string) =>
    one.replace(/s$/, '') === other.replace(/s$/, '') ||
    isAbbreviation(one, other) ||
    isAbbreviation(other, one);
  return (
    isTold && short.length === long.length && short.every((word, at) => fits(word, long[at] ?? ''))
  );
}

/** Returns true if the short word is the start of the long word, or consists of some of its consonants in order. */
function isAbbreviation(short: string, long: string): boolean {
  if (short.length < MIN_ABBREVIATION || short[0] !== long[0]) return false;
  if (long.startsWith(short)) return true;
  if (/[aeiou]/.test(short.slice(1))) return false;
  let next = 0;
  for (const letter of long) if (letter === short[next]) next += 1;
  return next === short.length;
}

const MIN_ABBREVIATION = 3;

/**
 * Returns true for initials, such as "IBM" for International Business Machines, "P&G" for Procter & Gamble, and "USPS"
 * for United States Postal Service.
 */
function areInitials(short: string, long: string): boolean {
  const letters = short.split(' ');
  const isBrief = letters.length === 1 || letters.every((letter) => letter.length === 1);
  if (!isBrief || NO_INITIALS.has(short)) return false;
  const all = long.split(' ').flatMap((word) => (word === 'us' ? ['u', 's'] : [word]));
  const initials = all.map((word) => word[0]).join('');
  return initials.length > 1 && letters.join('') === initials;
}

/** Short words that look like initials but are not. */
const NO_INITIALS = new Set(words('us st ft mt'));
