/** Recognises the kind of a column from its values. Ignores the column's name. All functions are pure. */
import { yesOrNo } from '../../../connectors/marks/yes-or-no.ts';
import { COUNTRY_NAMES, ORGANISATION_WORDS, REGION_NAMES, STREET_WORDS } from './content-words.ts';

/** The kind of a column's values. `text` has no special kind, and `blank` has no values. */
export type ContentKind =
  | 'blank'
  | 'e-mail'
  | 'web address'
  | 'yes or no'
  | 'date'
  | 'number'
  | 'phone'
  | 'street'
  | 'postal code'
  | 'region'
  | 'country'
  | 'organisation'
  | 'whole name'
  | 'text';

/** The minimum share of values that must have the same form. */
const MOST = 0.8;
/**
 * The minimum share for kinds with many forms. Street addresses vary, and names of organisations often contain no
 * typical word.
 */
const MANY = 0.6;
const SOME = 0.3;

/** The minimum number of values. With fewer values, the kind is unknown. */
const FEWEST_VALUES = 3;

const MOST_VALUES = 1_000;

/** The maximum length of a value. Longer values are notes, which are not checked further. */
const LONGEST = 120;

/** Recognises the kind of a column from its values. */
export function contentKind(values: readonly string[]): ContentKind {
  const filled = values
    .map((value) => value.trim())
    .filter((value) => value !== '')
    .slice(0, MOST_VALUES);
  if (filled.length === 0) return 'blank';
  if (filled.length < FEWEST_VALUES) return 'text';
  const share = (test: (value: string) => boolean) =>
    filled.filter((value) => value.length <= LONGEST && test(value)).length / filled.length;
  if (share(isEmail) >= MOST) return 'e-mail';
  if (share(isWebAddress) >= MOST) return 'web address';
  if (share((value) => yesOrNo(value) !== null) >= MOST) return 'yes or no';
  if (share(isDate) >= MOST) return 'date';
  const distinct = new Set(filled).size / filled.length;
  if (share(isPostalCode) >= MOST && haveLengthsOfCodes(filled)) return 'postal code';
  if (share(isPhone) >= MOST) return 'phone';
  if (share(isNumber) >= MOST) return 'number';
  if (share(isCountry) >= MOST) return 'country';
  if (share(isRegion) >= MOST) return 'region';
  if (share(isStreet) >= MANY) return 'street';
  if (share(isOrganisation) >= SOME && distinct > 0.1) return 'organisation';
  return share(isWholeName) >= MOST && distinct >= MANY ? 'whole name' : 'text';
}

/** The name of a person in a column, and the name of the row's contact. */
export interface NamePair {
  name: string;
  contact: string;
}

/**
 * True if the names are spouses or other relatives. Relatives often have the contact's last name, but a different first
 * name. `Ana de la Cruz` ends with `Cruz`, but `Lopez, Maria` does not end with `Lopez`.
 */
export function areNamesOfRelatives(pairs: readonly NamePair[]): boolean {
  const filled = pairs
    .map(({ name, contact }) => ({ name: plain(name), contact: plain(contact) }))
    .filter(({ name, contact }) => name !== '' && contact !== '')
    .slice(0, MOST_VALUES);
  if (filled.length < FEWEST_VALUES) return false;
  const lastWord = (name: string) => name.split(' ').at(-1);
  const alike = filled.filter(
    ({ name, contact }) => name !== contact && lastWord(name) === lastWord(contact),
  );
  return alike.length / filled.length >= MANY;
}

/** Describes a value without showing it, such as `2 words` or `5 digits`. */
export function shapeOfValue(value: string): string {
  const text = value.trim();
  if (isEmail(text)) return 'an e-mail address';
  if (isWebAddress(text)) return 'a web address';
  if (yesOrNo(text) !== null) return 'yes or no';
  if (isDate(text)) return 'a date';
  if (/^\d+$/.test(text)) return `${text.length} ${text.length === 1 ? 'digit' : 'digits'}`;
  const words = text.split(/\s+/).filter((word) => word !== '').length;
  return `${words} ${words === 1 ? 'word' : 'words'}`;
}

function isEmail(value: string): boolean {
  const at = value.indexOf('@');
  const host = value.slice(at + 1);
  return at > 0 && host.indexOf('.') > 0 && !host.includes('@') && !/\s/.test(value);
}

function isWebAddress(value: string): boolean {
  return /^(https?:\/\/|www\.)\S+$/i.test(value);
}

function isDate(value: string): boolean {
  return (
    /^\d{1,4}[-./]\s?\d{1,2}[-./]\s?\d{1,4}([ t,]\S.*)?$/i.test(value) ||
    // Recognises dates such as `5 Apr 2015` and `Apr 5, 2015`.
    /^\d{1,2}[. -] ?\p{L}{3,9}\.?[ -]\d{4}([ ,]\S.*)?$/u.test(value) ||
    /^\p{L}{3,9}\.? \d{1,2}, \d{4}([ ,]\S.*)?$/u.test(value)
  );
}

function isNumber(value: string): boolean {
  return /^[($€£-]*\d[\d.,'’ ]*[)%€]?$/.test(value);
}

function isPhone(value: string): boolean {
  return (
    /^[+(]?[\d() ./-]{7,20}(\s?x\d+)?$/i.test(value) &&
    value.replace(/\D/g, '').length >= 7 &&
    /[+() ./-]/.test(value)
  );
}

/**
 * The postal codes of the United States, Britain, Canada, the Netherlands, Sweden, Portugal and Poland, and codes of
 * four or five digits.
 */
const POSTAL_CODES = [
  /^\d{5}(-\d{4})?$/,
  /^\d{4}$/,
  /^[a-z]{1,2}-?\d{4,5}$/i,
  /^[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}$/i,
  /^[a-z]\d[a-z] ?\d[a-z]\d$/i,
  /^\d{4} ?[a-z]{2}$/i,
  /^\d{3} \d{2}$/,
  /^\d{4}-\d{3}$/,
  /^\d{2}-\d{3}$/,
];

function isPostalCode(value: string): boolean {
  return POSTAL_CODES.some((code) => code.test(value));
}

/**
 * True if the values have the length of codes. Codes have a fixed length. Amounts and years vary in length, or repeat.
 */
function haveLengthsOfCodes(values: readonly string[]): boolean {
  if (values.every((value) => /^(1[89]|20)\d\d$/.test(value))) return false;
  const plain = values.filter((value) => /^\d+$/.test(value));
  const distinct = new Set(plain).size;
  // Sequential numbers are IDs and not codes.
  const numbers = plain.map(Number);
  const range = Math.max(...numbers) - Math.min(...numbers) + 1;
  return !(distinct === values.length && distinct > 2 && range <= distinct * 2);
}

function isCountry(value: string): boolean {
  return COUNTRY_NAMES.has(plain(value));
}

function isRegion(value: string): boolean {
  return REGION_NAMES.has(plain(value));
}

function isStreet(value: string): boolean {
  if (!/\p{L}/u.test(value) || isEmail(value) || isDate(value)) return false;
  if (/^\d+[a-z]?([-/]\d+[a-z]?)?,? +\p{L}/iu.test(value)) return true;
  const words = plain(value).split(' ');
  // In an address such as `Hauptstraße 5 a`, one of the last two words is a house number.
  const parts = value.split(/[ ,]+/);
  if (/^\p{L}/u.test(value) && parts.slice(1).slice(-2).some(isHouseNumber)) return true;
  return words.some((word) => STREET_WORDS.has(word)) && /\d/.test(value);
}

function isHouseNumber(word: string): boolean {
  return /^\d{1,5}[a-z]?([-/]\d{0,5}[a-z]?)?$/i.test(word);
}

function isOrganisation(value: string): boolean {
  return plain(value)
    .split(' ')
    .some((word) => ORGANISATION_WORDS.has(word));
}

/**
 * True if the value is a whole name. A whole name has two to five capitalised words, no digits, and no word for
 * organisations.
 */
function isWholeName(value: string): boolean {
  if (/[\d@/:]/.test(value) || isOrganisation(value)) return false;
  const words = value.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length < 2 || words.length > 5) return false;
  return /^\p{Lu}/u.test(words[0] ?? '') && /^\p{Lu}/u.test(words.at(-1) ?? '');
}

function plain(value: string): string {
  return value
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}
