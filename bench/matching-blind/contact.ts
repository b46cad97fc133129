/**
 * Creates a contact in the form in which a CRM submits it to the service, and varies names and addresses as CRMs do.
 */

import type { Home, Person } from './people.ts';
import type { Random } from './random.ts';

export interface Contact {
  first: string;
  last: string;
  addresses: string[];
  employers: string[];
}

/** The details that a contact contains about a person. */
export interface Details {
  home?: boolean;
  employer?: boolean;
}

/**
 * Returns a person's contact with the same spelling as in the donor list. The contact has no middle name and no suffix.
 */
export function writeContact(person: Person, { home, employer }: Details): Contact {
  return {
    first: person.first,
    last: person.last,
    addresses: home ? [writeHome(person.home)] : [],
    employers: employer ? [person.employer] : [],
  };
}

export function writeStreet({ number, street, type, unit }: Home): string {
  return `${number} ${street} ${type}${unit && ` Apt ${unit}`}`;
}

export function writeHome(home: Home): string {
  return `${writeStreet(home)}, ${home.city}, ${home.state} ${home.zip}`;
}

const SHORT_TYPES: Record<string, string> = {
  Street: 'St',
  Avenue: 'Ave.',
  Road: 'Rd',
  Drive: 'Dr',
  Lane: 'Ln',
  Court: 'Ct',
  Boulevard: 'Blvd',
  Place: 'Pl',
};

/** Returns the address with an abbreviated street type and a different form of the unit. */
export function writeHomeShort(home: Home): string {
  const { number, street, type, unit, city, state, zip } = home;
  return `${number} ${street} ${SHORT_TYPES[type] ?? type}${unit && ` #${unit}`}, ${city} ${state} ${zip}`;
}

const STATES: Record<string, string> = {
  AL: 'Alabama',
  AK: 'Alaska',
  AZ: 'Arizona',
  AR: 'Arkansas',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DE: 'Delaware',
  DC: 'District of Columbia',
  FL: 'Florida',
  GA: 'Georgia',
  HI: 'Hawaii',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  IA: 'Iowa',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  ME: 'Maine',
  MD: 'Maryland',
  MA: 'Massachusetts',
  MI: 'Michigan',
  MN: 'Minnesota',
  MS: 'Mississippi',
  MO: 'Missouri',
  MT: 'Montana',
  NE: 'Nebraska',
  NV: 'Nevada',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NY: 'New York',
  NC: 'North Carolina',
  ND: 'North Dakota',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VT: 'Vermont',
  VA: 'Virginia',
  WA: 'Washington',
  WV: 'West Virginia',
  WI: 'Wisconsin',
  WY: 'Wyoming',
};

/** Returns the address with the full name of the state and without a ZIP code. */
export function writeHomeInWords(home: Home): string {
  return `${writeStreet(home)}, ${home.city}, ${STATES[home.state] ?? home.state}`;
}

/**
 * Makes one typing error in a word: swaps two letters, or drops, doubles or replaces a letter. The first letter of the
 * word does not change.
 */
export function mistype(random: Random, word: string): string {
  const at = random.between(1, Math.max(1, word.length - 2));
  const before = word.slice(0, at);
  const letter = word.charAt(at);
  const next = word.charAt(at + 1);
  const kinds = [
    before + next + letter + word.slice(at + 2),
    before + word.slice(at + 1),
    before + letter + word.slice(at),
    before + random.pick([...'aeinorst']) + word.slice(at + 1),
  ].filter((spelling) => spelling !== word);
  return random.pick(kinds);
}

/** Pairs of letter groups that text recognition confuses. A pair can occur several times in a word. */
const SCANS: [string, string][] = [
  ['rn', 'm'],
  ['m', 'rn'],
  ['l', '1'],
  ['i', 'l'],
  ['o', '0'],
  ['e', 'c'],
  ['h', 'b'],
  ['S', '5'],
  ['B', '8'],
  ['n', 'ri'],
];

/** Makes one error of text recognition in a word. Returns null if the word has no letter that can be confused. */
export function misread(random: Random, word: string): string | null {
  const fitting = SCANS.filter(([letters]) => word.includes(letters));
  if (fitting.length === 0) return null;
  const [letters, read] = random.pick(fitting);
  return word.replace(letters, read);
}

/** Returns the word with its accents removed. */
export function stripMarks(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '');
}

/** Replaces two letters by the umlaut that they represent. For example, `Mueller` becomes `Müller`. */
export function writeUmlauts(word: string): string {
  const umlauts = { ae: 'ä', oe: 'ö', ue: 'ü' } as const;
  return word.replace(/ae|oe|ue/g, (pair) => umlauts[pair as keyof typeof umlauts]);
}

const CYRILLIC: Record<string, string> = Object.fromEntries(
  'a а|b б|d д|e е|i и|k к|l л|m м|n н|o о|p п|r р|s с|t т|v в|z з'
    .split('|')
    .map((pair) => [pair.charAt(0), pair.charAt(2)]),
);

/** Returns a name in Cyrillic letters. Uses the usual transliteration of the names in this benchmark. */
export function writeCyrillic(name: string): string {
  const small = name.toLowerCase().replace('ks', 'кс');
  const letters = [...small].map((letter) => CYRILLIC[letter] ?? letter).join('');
  return letters.charAt(0).toUpperCase() + letters.slice(1);
}
