/** Converts addresses to a canonical spelling, so that donor-sync notices only real changes (decision 9). */
import { knownSpellings, MAX_PART_WORDS, type Spellings } from './spellings.ts';
import { hasDigit, isNumber, NUMBER_SIGN, orPlainText, PART_END, splitWords } from './words.ts';

/**
 * Returns the same text for all spellings of an address, and a different text for a different address. The text
 * consists of sorted words in canonical form. The number of an apartment is joined to its word (`unit:4`), so it
 * differs from a house number. The text is never shown or sent.
 *
 * The text must not decide which contacts share a profile. The text only serves to compare a contact with its own
 * earlier address.
 */
export function canonicalAddress(text: string): string {
  const spellings = knownSpellings();
  const address: AddressWords = { words: [], partAt: 0, shortZipAt: -1 };
  let part: string[] = [];
  for (const word of splitWords(text)) {
    if (word === PART_END) {
      addPart(address, part, spellings);
      part = [];
    } else {
      part.push(word);
    }
  }
  addPart(address, part, spellings);
  const words = settle(address, spellings);
  return orPlainText(words.sort().join(' '), text);
}

interface AddressWords {
  words: string[];
  partAt: number;
  /** The position of a ZIP code that may lack its leading zero, or -1. */
  shortZipAt: number;
}

function addPart(address: AddressWords, plain: readonly string[], spellings: Spellings): void {
  const { words: known, phrases, parts } = spellings;
  const part = joinPrefixes(plain, known);
  const canBeCountry = part.length <= MAX_PART_WORDS && !hasDigit(part[0] ?? '');
  const whole = canBeCountry ? parts.get(part.join(' ')) : undefined;
  if (whole !== undefined) {
    if (whole !== '') address.words.push(whole);
    return;
  }
  address.partAt = address.words.length;
  const folded = part.map((word) => known.get(word) ?? word);
  let at = 0;
  while (at < folded.length) {
    const word = folded[at] ?? '';
    const phrase = phrases.get(word)?.find(({ words }) => standsAt(words, folded, at));
    at += phrase?.words.length ?? 1;
    at = addWord(address, phrase?.canonical ?? word, folded, at);
  }
}

function standsAt(words: readonly string[], part: readonly string[], at: number): boolean {
  for (let index = 1; index < words.length; index++) {
    if (words[index] !== part[at + index]) return false;
  }
  return true;
}

/** Adds a word. `next` is the position of the next word. Returns the position of the first remaining word. */
function addWord(
  address: AddressWords,
  word: string,
  part: readonly string[],
  next: number,
): number {
  const designator = word !== 'US' || isAfterHouse(address) ? DESIGNATORS.get(word) : undefined;
  if (designator !== undefined) {
    const end = addDesignated(address, designator, part, next);
    if (end !== next || word === NUMBER_SIGN) return end;
    if (designator === FLOOR && makesFloor(address)) return next;
  }
  if (isCanadianPostcode(word, part[next])) {
    address.words.push(`${word}${part[next]}`);
    return next + 1;
  }
  // This word replaces the number sign.
  if (word === 'no' && hasDigit(part[next] ?? '')) return next;
  if (hasDigit(word)) addNumber(address, word, next === part.length);
  else address.words.push(word);
  return next;
}

/** A word that belongs to the number after it. */
interface Designator {
  /** The text to write before the number. */
  prefix: string;
  fits(number: string): boolean;
}

const FLOOR: Designator = { prefix: 'fl:', fits: isFloor };

/**
 * Words for an apartment. Apartments, suites, units and # are equal, because address tools replace one with another.
 * Floors and other parts are different.
 */
const DESIGNATORS: ReadonlyMap<string, Designator> = new Map([
  ...designators([NUMBER_SIGN, 'unit', 'ste', 'rm', 'lot', 'spc', 'slip', 'trlr', 'pmb'], {
    prefix: 'unit:',
    fits: isUnit,
  }),
  ...['bldg', 'bsmt', 'dept', 'hngr', 'ofc', 'ph', 'pier', 'stop', 'box'].flatMap((word) =>
    designators([word], { prefix: `${word}:`, fits: isUnit }),
  ),
  ...['rte', 'rd', 'sr', 'cr', 'rr', 'hc'].flatMap((word) =>
    designators([word], { prefix: `${word}:`, fits: isRoadNumber }),
  ),
  ...designators(['hwy', 'US'], { prefix: 'hwy:', fits: isRoadNumber }),
  ...designators(['i'], { prefix: 'i', fits: isRoadNumber }),
  ...designators(['fl'], FLOOR),
]);

/** True for a highway such as US 50 in "14 US 50". False for "USA 50 Main Street", in which "USA" is a country. */
function isAfterHouse({ words, partAt }: AddressWords): boolean {
  const before = words.length > partAt ? (words.at(-1) ?? '') : '';
  return isRoadNumber(before);
}

function designators(words: readonly string[], designator: Designator): [string, Designator][] {
  return words.map((word) => [word, designator]);
}

/** True for a unit number, such as 4, 4b, b and 12-14. Words are not unit numbers (Unit Street, Box Elder). */
function isUnit(number: string): boolean {
  return number.length === 1 || hasDigit(number);
}

/** True if the number belongs to the road. A number with five digits is a ZIP code, as in Oak Rd 62701. */
function isRoadNumber(number: string): boolean {
  return /^\d{1,4}[a-z]?$/.test(number);
}

/** True if FL means a floor. Before a ZIP code, FL is Florida. */
function isFloor(number: string): boolean {
  return /^\d{1,3}(st|nd|rd|th)?$/.test(number);
}

function addDesignated(
  address: AddressWords,
  { prefix, fits }: Designator,
  part: readonly string[],
  next: number,
): number {
  let at = next;
  // Examples are Apt. No. 5 and Suite #5. After a road, # is the start of an apartment number, as in Oak Rd # 5.
  if (fits !== isRoadNumber && isNumberSign(part[at])) at += 1;
  const number = part[at];
  if (number === undefined || !fits(number)) return next;
  at += 1;
  let plain = number.replace(/^0+(?=.)/, '');
  if (prefix === FLOOR.prefix) plain = plain.replace(/(?<!\D)\D+$/, '');
  // 4 B means 4B. However, 4 N can be followed by a street name, such as Main Street.
  if (isNumber(number) && /^[^nsew]$/.test(part[at] ?? '')) {
    plain += part[at];
    at += 1;
  }
  address.words.push(prefix + plain);
  return at;
}

function isNumberSign(word: string | undefined): boolean {
  return word === NUMBER_SIGN || word === 'no';
}

/** True for an ordinal before a floor, because the 4th floor is floor 4. */
function makesFloor({ words, partAt }: AddressWords): boolean {
  const last = words.length - 1;
  const ordinal = /^(\d{1,3})(?:st|nd|rd|th)$/.exec(words[last] ?? '')?.[1];
  if (ordinal === undefined || last < partAt) return false;
  words[last] = FLOOR.prefix + ordinal;
  return true;
}

const ZIP_DIGITS = 5;

/** The states whose ZIP codes start with a zero, in New England and New Jersey. Spreadsheets drop this zero. */
const STATES_OF_ZERO: ReadonlySet<string> = new Set(['ct', 'ma', 'me', 'nh', 'nj', 'ri', 'vt']);

/** Adds a number. Of a nine-digit ZIP code, such as 62701-1234 or 627011234, only the first five digits are used. */
function addNumber(address: AddressWords, word: string, isLast: boolean): void {
  const { words, partAt } = address;
  const before = words.length > partAt ? words.at(-1) : undefined;
  const [number, more] = word.length > ZIP_DIGITS ? zipParts(word) : [word, ''];
  const isFourDigits = number.length === 4 && isNumber(number);
  if (isLast && isFourDigits) {
    if (more === '' && isZip(before ?? '')) return;
    if (before === undefined || STATES_OF_ZERO.has(before)) address.shortZipAt = words.length;
  }
  words.push(number);
}

/** Splits a ZIP code from the four digits after it. Returns any other number unchanged. */
function zipParts(word: string): [zip: string, more: string] {
  if (/^\d{9}$/.test(word)) return [word.slice(0, ZIP_DIGITS), word.slice(ZIP_DIGITS)];
  const parts = /^(\d{4,5})-(\d{4})$/.exec(word);
  return [parts?.[1] ?? word, parts?.[2] ?? ''];
}

function isZip(word: string): boolean {
  return word.length === ZIP_DIGITS && isNumber(word);
}

/** True for a Canadian postcode. M5V 2T6 is also written M5V2T6. */
function isCanadianPostcode(word: string, next: string | undefined): boolean {
  return word.length === 3 && /^[a-z]\d[a-z]$/.test(word) && /^\d[a-z]\d$/.test(next ?? '');
}

function settle({ words, shortZipAt }: AddressWords, { states }: Spellings): string[] {
  let hasZip = words.some(isZip);
  if (!hasZip && shortZipAt !== -1 && words.some((word) => STATES_OF_ZERO.has(word))) {
    words[shortZipAt] = `0${words[shortZipAt]}`;
    hasZip = true;
  }
  // If an address has a state and a ZIP code, it is in the United States.
  if (!hasZip || !words.includes('US') || !words.some((word) => states.has(word))) return words;
  return words.filter((word) => word !== 'US');
}

/** Prefixes that are followed by an apostrophe or a space, such as O'Fallon, d'Alene and l'Enfant. */
const PREFIXES: ReadonlySet<string> = new Set(['o', 'd', 'l']);

/** Words after which a single letter is a separate word, as in Avenue D. */
const BEFORE_LETTERS: ReadonlySet<string> = new Set(['ave', 'st', ...DESIGNATORS.keys()]);

/** Joins a prefix to the next word, such as `o fallon`. Does not change Avenue D or D Street. */
function joinPrefixes(part: readonly string[], known: Spellings['words']): readonly string[] {
  if (!part.some(isPrefix)) return part;
  const joined: string[] = [];
  let before = '';
  for (const word of part) {
    const isName = word.length > 2 && !known.has(word) && !hasDigit(word);
    const prefix = joined.at(-1) ?? '';
    if (isName && isPrefix(prefix) && !BEFORE_LETTERS.has(before)) {
      joined[joined.length - 1] = prefix + word;
    } else {
      before = known.get(prefix) ?? prefix;
      joined.push(word);
    }
  }
  return joined;
}

function isPrefix(word: string): boolean {
  return word.length === 1 && PREFIXES.has(word);
}
