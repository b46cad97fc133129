/** Changes names, addresses and employers to the forms in which people type them into a CRM. */

import { type Address, STREET_ABBREVIATIONS } from './address.ts';
import { nicknamesOf } from './nicknames.ts';
import type { Name } from './person.ts';
import { between, chance, type Draw, pick } from './random.ts';

/**
 * The share of rows for each change, from 0 to 1. At most one change is made to a row's name. In addition, the name can
 * be written in capitals. At most one change is made to the address, and at most one to the employer.
 */
export const MESS_RATES = {
  /** The share of rows that contain a person whom the service does not know. */
  unknownPerson: 0.02,
  /** The share of rows with a person whom the list already contains under a different number. */
  duplicate: 0.015,

  /**
   * The share of all rows that have a typing error in the first or last name. One letter is dropped, doubled, replaced,
   * or swapped with the next letter.
   */
  typo: 0.03,
  /**
   * The share of rows with a short form of the first name, such as Bob for Robert. Rows whose name has no short form
   * are excluded.
   */
  nickname: 0.12,
  /** The share of all rows with only an initial as the first name. */
  initial: 0.015,
  /** The share of rows with "Robert James" as the first name. People without a middle name are excluded. */
  middleInFirstName: 0.05,
  /**
   * The share of rows that lack a first name or a last name. One half of these rows lack the first name, and the other
   * half lack the last name.
   */
  missingName: 0.005,
  /** The share of all rows with the NAME IN CAPITALS. */
  allCaps: 0.03,

  /** The share of rows that lack an address. */
  missingAddress: 0.1,
  /** The share of rows with an earlier address. People who have never moved are excluded. */
  oldAddress: 0.08,
  /** The share of rows with an abbreviated address, such as "St." for Street and "Apt" or "#" for Apartment. */
  abbreviatedAddress: 0.35,

  /**
   * The share of rows that lack an employer. People who have never worked are excluded. About 30% of all rows have no
   * employer, because some people have never worked.
   */
  missingEmployer: 0.28,
  /**
   * The share of rows with a variant such as "Acme Inc." or "ACME" for Acme. People who have never worked are excluded.
   */
  employerVariant: 0.2,

  /** The share of rows that lack an email address. */
  missingEmail: 0.08,
};

/** The two name fields of a CRM. */
export interface NameFields {
  firstName: string | null;
  lastName: string | null;
}

/**
 * The minimum length of a name that gets a typing error. With a typing error, a shorter name would become a different
 * real name.
 */
const SHORTEST_MISSPELT = 4;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

/** Returns the name for a row in a contact list. It is changed at the rates in `MESS_RATES`. */
export function messyName(draw: Draw, name: Name): NameFields {
  const fields = spoil(draw, name);
  return chance(draw, MESS_RATES.allCaps) ? inCapitals(fields) : fields;
}

/** Makes at most one change. Each change has an interval between 0 and 1, and a random number selects one interval. */
function spoil(draw: Draw, { first, middle, last }: Name): NameFields {
  const plain = { firstName: first, lastName: last };
  let left = draw();
  const falls = (rate: number) => {
    left -= rate;
    return left < 0;
  };
  if (falls(MESS_RATES.typo)) return misspell(draw, first, last);
  if (falls(MESS_RATES.initial)) return { ...plain, firstName: `${first.slice(0, 1)}.` };
  if (falls(MESS_RATES.missingName / 2)) return { ...plain, firstName: null };
  if (falls(MESS_RATES.missingName / 2)) return { ...plain, lastName: null };
  if (falls(MESS_RATES.nickname)) return { ...plain, firstName: drawNickname(draw, first) };
  if (middle && falls(MESS_RATES.middleInFirstName)) {
    return { ...plain, firstName: `${first} ${middle}` };
  }
  return plain;
}

function drawNickname(draw: Draw, first: string): string {
  const nicknames = nicknamesOf(first);
  return nicknames.length > 0 ? pick(draw, nicknames) : first;
}

function misspell(draw: Draw, first: string, last: string): NameFields {
  const inFirst = chance(draw, 0.5)
    ? first.length >= SHORTEST_MISSPELT
    : last.length < SHORTEST_MISSPELT;
  return inFirst
    ? { firstName: withTypo(draw, first), lastName: last }
    : { firstName: first, lastName: withTypo(draw, last) };
}

/** Adds one typing error to a word. The first letter stays unchanged. The result is always different from the word. */
function withTypo(draw: Draw, word: string): string {
  const position = between(draw, 1, word.length - 2);
  const before = word.slice(0, position);
  const letter = word.charAt(position);
  const after = word.slice(position + 1);
  const slip = between(draw, 0, 3);
  if (slip === 0) return before + after;
  if (slip === 1) return before + letter + letter + after;
  if (slip === 2 && letter !== after.charAt(0)) {
    return before + after.charAt(0) + letter + after.slice(1);
  }
  return before + pick(draw, [...ALPHABET.replace(letter, '')]) + after;
}

function inCapitals({ firstName, lastName }: NameFields): NameFields {
  return {
    firstName: firstName?.toUpperCase() ?? null,
    lastName: lastName?.toUpperCase() ?? null,
  };
}

/**
 * Returns the address for a row in a contact list. It is based on a person's home and earlier homes (see `MESS_RATES`).
 */
export function messyAddress(draw: Draw, home: Address, earlier: Address[]): Address | null {
  if (chance(draw, MESS_RATES.missingAddress)) return null;
  const isOld = chance(draw, MESS_RATES.oldAddress) && earlier.length > 0;
  const address = isOld ? pick(draw, earlier) : home;
  return chance(draw, MESS_RATES.abbreviatedAddress) ? abbreviated(draw, address) : address;
}

function abbreviated(draw: Draw, address: Address): Address {
  const stop = chance(draw, 0.5) ? '.' : '';
  const numberSign = chance(draw, 0.5);
  const [number = '', ...words] = address.street.split(' ');
  const short = words.map((word) => {
    const abbreviation = STREET_ABBREVIATIONS.get(word);
    return abbreviation ? abbreviation + stop : word;
  });
  const street = [number, ...short].join(' ');
  return { ...address, street: numberSign ? street.replace(/ Apt\.? /, ' #') : street };
}

const LEGAL_FORMS = [' Inc.', ' Inc', ', Inc.', ' LLC', ', LLC', ' Corp.', ' Corporation', ' Co.'];

/** Returns the employer for a row in a contact list (see `MESS_RATES`). */
export function messyEmployer(draw: Draw, name: string): string | null {
  if (chance(draw, MESS_RATES.missingEmployer)) return null;
  const isVariant = chance(draw, MESS_RATES.employerVariant / (1 - MESS_RATES.missingEmployer));
  return isVariant ? variantOf(draw, name) : name;
}

function variantOf(draw: Draw, name: string): string {
  const way = draw();
  if (way < 0.5) return name + pick(draw, LEGAL_FORMS);
  if (way < 0.75) return name.toUpperCase();
  return way < 0.85 ? name.toLowerCase() : `The ${name}`;
}
