/** Addresses, made comparable: a donor's is structured, a person's is free text. */

import type { Address } from '../../people/world.ts';
import { withinOneEdit, words } from './words.ts';

/** What a free text must contain to name a donor's address. */
export interface ComparableAddress {
  houseNumber: string;
  /** The words of the street's own name, without type, direction and unit. */
  street: string[];
  city: string[];
  state: string;
  zip: string;
}

/** How well an address agrees: the very house, or only the neighbourhood. */
export type AddressFit = 'house' | 'area';

/** A typo is forgiven in words of at least this length. */
const MIN_TYPO_LENGTH = 4;

const STREET_WORDS = wordSet(`
  street st avenue ave av road rd drive dr lane ln court ct place pl boulevard blvd terrace ter
  circle cir way parkway pkwy highway hwy square sq trail trl north south east west n s e w ne nw
  se sw northeast northwest southeast southwest`);
const UNIT_WORDS = wordSet('apartment apt unit suite ste floor fl room rm');

/** Makes a donor's address comparable. */
export function comparableAddress(address: Address): ComparableAddress {
  const [houseNumber = '', ...rest] = words(address.street);
  const unitAt = rest.findIndex((word) => UNIT_WORDS.has(word));
  const street = unitAt === -1 ? rest : rest.slice(0, unitAt);
  const ownName = street.filter((word) => !STREET_WORDS.has(word));
  return {
    houseNumber,
    street: ownName.length > 0 ? ownName : street,
    city: words(address.city),
    state: address.state.toLowerCase(),
    zip: address.postalCode.slice(0, 5),
  };
}

/** Writes comparable addresses as one text, for the index. */
export function encodeAddresses(addresses: readonly ComparableAddress[]): string {
  return addresses
    .map(({ houseNumber, street, city, state, zip }) =>
      [houseNumber, street.join(' '), city.join(' '), state, zip].join('|'),
    )
    .join('\n');
}

/** Reads what `encodeAddresses` wrote. */
export function decodeAddresses(text: string): ComparableAddress[] {
  return text === '' ? [] : text.split('\n').map(decodeAddress);
}

/** How a free text, given as its words, agrees with a donor's address; undefined if it does not. */
export function fitAddress(
  text: ReadonlySet<string>,
  address: ComparableAddress,
): AddressFit | undefined {
  const isArea = text.has(address.zip) || isCity(text, address);
  if (!isArea) {
    return undefined;
  }
  const isHouse =
    text.has(address.houseNumber) && address.street.every((word) => hasWord(text, word));
  return isHouse ? 'house' : 'area';
}

function decodeAddress(line: string): ComparableAddress {
  const [houseNumber = '', street = '', city = '', state = '', zip = ''] = line.split('|');
  return { houseNumber, street: street.split(' '), city: city.split(' '), state, zip };
}

function isCity(text: ReadonlySet<string>, { city, state }: ComparableAddress): boolean {
  return text.has(state) && city.every((word) => hasWord(text, word));
}

function hasWord(text: ReadonlySet<string>, word: string): boolean {
  if (text.has(word)) {
    return true;
  }
  return (
    word.length >= MIN_TYPO_LENGTH &&
    [...text].some((other) => other.length >= MIN_TYPO_LENGTH && withinOneEdit(word, other))
  );
}

function wordSet(text: string): Set<string> {
  return new Set(words(text));
}
