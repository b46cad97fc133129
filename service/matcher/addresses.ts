/** Compares addresses. A donor's address is structured, but a submitted address is free text. */

import type { Address } from '../donor.ts';
import { STATES } from '../search/places.ts';
import { withinOneEdit, words } from './words.ts';

/** The words that free text must contain to match a donor's address. */
export interface ComparableAddress {
  houseNumber: string;
  /** The words of the street's name, without its type, its direction and the unit. */
  street: string[];
  city: string[];
  state: string;
  zip: string;
  /** The flat or suite within the building, or an empty text. */
  unit: string;
}

/** A free text as a set of words. States are in two letters, and a unit has the form "unit:4". */
export type AddressText = ReadonlySet<string>;

/**
 * How well two addresses agree, from best to worst. The level `house` means that both addresses are the same house. The
 * level `numberSlip` means that street and ZIP code are the same, and two digits of the house number are swapped. The
 * level `otherUnit` means that the building is the same, but the units differ. The level `zip` means that the ZIP code
 * is the same, but one address has no house number. The level `otherHouse` means that the ZIP code is the same, but the
 * houses differ. The level `city` means that only the city is the same.
 */
export type AddressFit = 'house' | 'numberSlip' | 'otherUnit' | 'zip' | 'otherHouse' | 'city';

/** The degrees of agreement between two addresses, from best to worst. */
export const ADDRESS_FITS = [
  'house',
  'numberSlip',
  'otherUnit',
  'zip',
  'otherHouse',
  'city',
] as const satisfies AddressFit[];

/** The minimum length of a word that may contain a typing error. */
const MIN_TYPO_LENGTH = 4;

const STREET_WORDS = new Set(
  words(`street st str avenue ave av road rd drive dr lane ln court ct place pl boulevard blvd terrace
    ter terr circle cir way parkway pkwy highway hwy square sq trail trl north south east west n s e w
    ne nw se sw northeast northwest southeast southwest`),
);
const DIRECTIONS = new Set(words('north south east west n s e w ne nw se sw'));
const UNIT_WORDS = new Set(words('apartment apt unit suite ste floor fl room rm'));
/**
 * The words that precede a unit in the pattern `UNIT`. Most streets contain none of the words, so the matcher does not
 * have to search most streets.
 */
const BEFORE_UNIT = new Set(words('apartment apt unit suite ste floor flr room rm no'));
/** Words that people abbreviate on envelopes, with their short forms. */
const SHORTER = new Map([
  ['saint', 'st'],
  ['fort', 'ft'],
  ['mount', 'mt'],
]);
const STATE_NAMES = [...STATES]
  .map(([name, letters]) => ({ pattern: new RegExp(`\\b${name}\\b`, 'gi'), letters }))
  // "West Virginia" must come before "Virginia", because the first match is used.
  .toSorted((a, b) => b.pattern.source.length - a.pattern.source.length);

/** Converts a donor's address to a form that can be compared. */
export function comparableAddress(address: Address): ComparableAddress {
  const { street: line } = address;
  const sign = line.indexOf('#');
  const all = words(sign === -1 ? line : line.slice(0, sign));
  const [houseNumber = '', ...rest] = all;
  const unitAt = rest.findIndex((word) => UNIT_WORDS.has(word));
  const street = unitAt === -1 ? rest : rest.slice(0, unitAt);
  const mayNameUnit = sign !== -1 || all.some((word) => BEFORE_UNIT.has(word));
  return {
    houseNumber,
    street: ownNameOf(street),
    city: words(address.city).map(shortened),
    state: address.state.toLowerCase(),
    zip: address.postalCode.slice(0, 5),
    unit: mayNameUnit ? (unitsIn(line)[0] ?? '') : '',
  };
}

/** Returns the words of a street without its type and direction, for example "Court" for "East Court Street". */
function ownNameOf(street: string[]): string[] {
  const own = street.filter((word) => !STREET_WORDS.has(word));
  if (own.length > 0) return own;
  const named = street.filter((word) => !DIRECTIONS.has(word)).slice(0, -1);
  return named.length > 0 ? named : street;
}

/** Matches a unit. A unit contains a digit or is a single letter, so "Floor, Evanston" does not contain a unit. */
const UNIT =
  /(?:\b(?:apartment|apt|unit|suite|ste|floor|flr|room|rm)\b\.?\s{0,4}#?|#|\bno\.)\s{0,4}(?=[a-z0-9-]{0,7}\d|[a-z]\b)([a-z0-9-]{1,8})\b/gi;

/** Returns the units in a text without punctuation, for example "4b" for "Apt. 4-B". */
function unitsIn(text: string): string[] {
  return [...text.matchAll(UNIT)].map(([, unit = '']) => unit.replaceAll('-', '').toLowerCase());
}

/**
 * Splits a free text into words. The name of a state also stays in the text, because a city or a street may contain it.
 */
export function addressText(text: string): AddressText {
  const states = STATE_NAMES.filter(({ pattern }) => text.search(pattern) !== -1);
  return new Set([
    ...words(text).map(shortened),
    ...unitsIn(text).map((unit) => UNIT_MARK + unit),
    ...states.map(({ letters }) => letters.toLowerCase()),
  ]);
}

/** The prefix of a unit. No other word contains a colon. */
const UNIT_MARK = 'unit:';

/**
 * Returns two index keys of a house. The first key consists of the house number and the ZIP code. The second key
 * consists of the house number and the street's name.
 */
export function houseKeys({ houseNumber, street, state, zip }: ComparableAddress): string[] {
  return houseNumber === ''
    ? []
    : [`${houseNumber} ${zip}`, `${houseNumber} ${street[0]} ${state}`];
}

/** Returns the index keys of the houses that the text might describe. */
export function houseKeysIn(text: AddressText): string[] {
  const all = [...text];
  const numbers = all.filter((word) => /^\d+[a-z]?$/.test(word)).slice(0, MAX_NUMBERS);
  const names = all
    .filter((word) => /^(?:[a-z]{3,}|\d+(?:st|nd|rd|th))$/.test(word))
    .slice(0, MAX_WORDS);
  const states = all.filter((word) => STATE_LETTERS.has(word)).slice(0, 3);
  return numbers.flatMap((number) => [
    ...numbers.filter((zip) => zip.length === 5).map((zip) => `${number} ${zip}`),
    ...names.flatMap((name) => states.map((state) => `${number} ${name} ${state}`)),
  ]);
}

/**
 * The maximum number of house numbers, and the maximum number of words. A text with more numbers or words is not an
 * address.
 */
const MAX_NUMBERS = 5;
const MAX_WORDS = 10;

const STATE_LETTERS = new Set([...STATES.values()].map((letters) => letters.toLowerCase()));

export function encodeAddresses(addresses: readonly ComparableAddress[]): string {
  return addresses
    .map(({ houseNumber, street, city, state, zip, unit }) =>
      [houseNumber, street.join(' '), city.join(' '), state, zip, unit].join('|'),
    )
    .join('\n');
}

/** Decodes the string that `encodeAddresses` returned. */
export function decodeAddresses(text: string): ComparableAddress[] {
  return text === '' ? [] : text.split('\n').map(decodeAddress);
}

/**
 * Returns how well free text agrees with a donor's address. Returns undefined if the text and the address do not agree.
 */
export function fitAddress(text: AddressText, address: ComparableAddress): AddressFit | undefined {
  const isZip = text.has(address.zip);
  const isArea = isZip || isCity(text, address);
  const isHouse =
    text.has(address.houseNumber) &&
    (isArea || text.has(address.state)) &&
    address.street.every((word) => hasWord(text, word));
  if (isHouse) return isOtherUnit(text, address) ? 'otherUnit' : 'house';
  if (!isArea) return undefined;
  if (!isZip) return 'city';
  if (isNumberSlip(text, address)) return 'numberSlip';
  return isOtherHouse(text, address) ? 'otherHouse' : 'zip';
}

/**
 * Returns whether the submitted addresses and the known addresses are in the same US state. Returns `unknown` if a
 * submitted address names no state.
 */
export function fitState(
  texts: readonly AddressText[],
  addresses: readonly ComparableAddress[],
): 'inState' | 'elsewhere' | 'unknown' {
  const states = new Set(addresses.map(({ state }) => state));
  let isKnown = true;
  for (const text of texts) {
    const named = [...text].filter((word) => STATE_LETTERS.has(word));
    if (named.some((state) => states.has(state))) return 'inState';
    if (named.length === 0) isKnown = false;
  }
  return isKnown ? 'elsewhere' : 'unknown';
}

function decodeAddress(line: string): ComparableAddress {
  const [houseNumber = '', street = '', city = '', state = '', zip = '', unit = ''] =
    line.split('|');
  return { houseNumber, street: street.split(' '), city: city.split(' '), state, zip, unit };
}

/** Returns true if the text describes a different house. A post office box is not a house. */
function isOtherHouse(text: AddressText, { houseNumber, zip }: ComparableAddress): boolean {
  if (houseNumber === '' || text.has('box') || text.has(houseNumber)) return false;
  for (const word of text) if (/^\d+[a-z]?$/.test(word) && word !== zip) return true;
  return false;
}

/**
 * Returns true if two neighbouring digits are swapped, as in 1243 for 1234. A house number with two digits may belong
 * to a neighbour, so swapped digits do not count.
 */
function isNumberSlip(text: AddressText, address: ComparableAddress): boolean {
  const { houseNumber, street } = address;
  if (!/^\d{3,}$/.test(houseNumber) || isOtherUnit(text, address)) return false;
  const isExchanged = [...houseNumber].some((digit, at) => {
    const next = houseNumber[at + 1];
    if (next === undefined || next === digit) return false;
    return text.has(houseNumber.slice(0, at) + next + digit + houseNumber.slice(at + 2));
  });
  return isExchanged && street.every((word) => hasWord(text, word));
}

/**
 * Returns true if the two addresses have different units. A unit in only one of the addresses is not evidence against
 * the address.
 */
function isOtherUnit(text: AddressText, { unit }: ComparableAddress): boolean {
  if (unit === '' || text.has(UNIT_MARK + unit)) return false;
  for (const word of text) if (word.startsWith(UNIT_MARK)) return true;
  return false;
}

function isCity(text: AddressText, { city, state }: ComparableAddress): boolean {
  return text.has(state) && city.every((word) => hasWord(text, word));
}

function hasWord(text: AddressText, word: string): boolean {
  if (text.has(word)) {
    return true;
  }
  if (word.length < MIN_TYPO_LENGTH) return false;
  for (const other of text) {
    if (other.length >= MIN_TYPO_LENGTH && withinOneEdit(word, other)) return true;
  }
  return false;
}

function shortened(word: string): string {
  return SHORTER.get(word) ?? word;
}
