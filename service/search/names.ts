/**
 * Reads names in searches. A search also finds short forms, initials and names with one typing error, but they have a
 * lower rank.
 */

import type { DonorIndex } from '../matcher/donor-index.ts';
import { toLatin } from '../matcher/latin.ts';
import { comparableName, type FirstNameFit, fitFirstName } from '../matcher/names.ts';

/** A name to search for. All parts are in their comparable form. */
export interface SoughtName {
  /** The first name. It is empty if the search contains only a last name. */
  first: string;
  /** The possible last names, of which one must match. Empty if the search is for a last name only. */
  lasts: string[];
  /** True if the last name was treated as a misspelling of these names. */
  isCorrected: boolean;
  /**
   * True if the first name may be a misspelling. If any donor has the first name, it is not treated as a misspelling.
   */
  allowsTypo: boolean;
}

/** How well a searched name and a donor's name agree, from best to worst. */
export const NAME_FITS = [
  'same',
  'nickname',
  'spelling',
  'initial',
  'typo',
] as const satisfies FirstNameFit[];

type NameFit = (typeof NAME_FITS)[number];

/**
 * Reads a name in forms such as "Hogan", "Dianne Hogan", "Dr. Dianne Hogan", "Dianne Hogan, Jr." and "Hogan, Dianne".
 * Also reads "Hogan Dianne" if donors have these names only in this order. Ignores names that no donor has.
 */
export function readName(index: DonorIndex, text: string): SoughtName {
  const { first, last } = turned(index, splitName(toLatin(text)));
  const isOneWord = last === '';
  if (isOneWord && index.countLastName(first) === 0 && index.countFirstName(first) > 0) {
    return { first, lasts: [], isCorrected: false, allowsTypo: false };
  }
  const family = isOneWord ? first : last;
  const isKnown = index.countLastName(family) > 0;
  const lasts = isKnown ? [family] : index.similarLastNames(family);
  const given = isOneWord || lasts.length === 0 ? '' : first;
  const allowsTypo = index.countFirstName(given) === 0;
  return { first: given, lasts, isCorrected: !isKnown, allowsTypo };
}

/** Returns true if each word is the name of some donor. */
export function isBorne(index: DonorIndex, text: string): boolean {
  const { first, lasts, isCorrected } = readName(index, text);
  return lasts.length > 0 ? !isCorrected || index.countFirstName(first) > 0 : first !== '';
}

/**
 * Returns how well the first name of a donor matches the search. `first` and `last` are in their comparable form.
 * Returns undefined if the names do not match.
 */
export function fitName(sought: SoughtName, first: string, last: string): NameFit | undefined {
  if (sought.lasts.length > 0 ? !sought.lasts.includes(last) : sought.isCorrected) {
    return undefined;
  }
  const fit = sought.first === '' ? 'same' : fitFirstName(sought.first, first);
  // A match with an address accepts a name with two typing errors. A search does not accept two typos.
  return fit === 'slips' || (fit === 'typo' && !sought.allowsTypo) ? undefined : fit;
}

/** Swaps the two names if donors have the first name only as a last name, and the second name as a first name. */
function turned(index: DonorIndex, name: { first: string; last: string }) {
  const { first, last } = name;
  const isTurned =
    index.countFirstName(first) === 0 &&
    index.countLastName(first) > 0 &&
    index.countFirstName(last) > 0;
  return isTurned ? { first: last, last: first } : name;
}

/**
 * Splits a name. In "Juan de la Cruz", all words after the first name belong to the last name. Middle names are
 * omitted.
 */
function splitName(text: string): { first: string; last: string } {
  const [family = '', given = ''] = text.split(',');
  if (wordsOf(given).length > 0) return comparableName(given, '', family);
  const [first = '', ...rest] = wordsOf(family);
  const particles = rest.findIndex((word) => PARTICLES.has(word.toLowerCase()));
  const last = particles === -1 ? rest.slice(-1) : rest.slice(particles);
  return comparableName(first, '', last.join(' '));
}

/** Returns the words of a name in comparable form. Words such as "Dr." and "Jr." are left out. */
function wordsOf(text: string): string[] {
  return text
    .trim()
    .split(/\s+/)
    .filter((word) => {
      const { first, last } = comparableName(word, '', word);
      return first !== '' && last !== '';
    });
}

const PARTICLES = new Set('van von de del della di da la le st st.'.split(' '));
