/** Searches by name. Short forms, initials and a single typo are found too, and rank lower. */

import type { DonorIndex } from '../matcher/donor-index.ts';
import { toLatin } from '../matcher/latin.ts';
import { comparableName, type FirstNameFit, fitFirstName } from '../matcher/names.ts';

/** A name to search for. All its parts are comparable names. */
export interface SoughtName {
  /** Empty if the search is for a last name only. */
  first: string;
  /** One of these has to match. Empty if the search is for a first name only. */
  lasts: string[];
  /** Whether the last name was treated as a typo of these. */
  isCorrected: boolean;
  /** Whether a typo is allowed. A first name that a donor has is never treated as a typo of another name. */
  allowsTypo: boolean;
}

/** How well a name fits, best first. */
export const NAME_FITS = [
  'same',
  'nickname',
  'spelling',
  'initial',
  'typo',
] as const satisfies FirstNameFit[];

type NameFit = (typeof NAME_FITS)[number];

/**
 * Reads "Hogan", "Dianne Hogan", "Dr. Dianne Hogan", "Dianne Hogan, Jr." and "Hogan, Dianne". Reads
 * "Hogan Dianne" too, where donors have the name in that order only. A name that no donor has gets
 * no part.
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

/** Whether a text is the name of a donor, as far as its single names show. */
export function isBorne(index: DonorIndex, text: string): boolean {
  const { first, lasts, isCorrected } = readName(index, text);
  return lasts.length > 0 ? !isCorrected || index.countFirstName(first) > 0 : first !== '';
}

/**
 * Returns how the first name of a donor (of comparable parts) fits; undefined if the name does not
 * fit.
 */
export function fitName(sought: SoughtName, first: string, last: string): NameFit | undefined {
  if (sought.lasts.length > 0 ? !sought.lasts.includes(last) : sought.isCorrected) {
    return undefined;
  }
  const fit = sought.first === '' ? 'same' : fitFirstName(sought.first, first);
  // Two slips are evidence next to an address, but not enough to search by.
  return fit === 'slips' || (fit === 'typo' && !sought.allowsTypo) ? undefined : fit;
}

/**
 * Swaps a first name that donors have only as a last name with a last name that is a first name.
 */
function turned(index: DonorIndex, name: { first: string; last: string }) {
  const { first, last } = name;
  const isTurned =
    index.countFirstName(first) === 0 &&
    index.countLastName(first) > 0 &&
    index.countFirstName(last) > 0;
  return isTurned ? { first: last, last: first } : name;
}

/**
 * In "Juan de la Cruz", everything after the first name is the last name. Middle names are left
 * out.
 */
function splitName(text: string): { first: string; last: string } {
  const [family = '', given = ''] = text.split(',');
  if (wordsOf(given).length > 0) return comparableName(given, '', family);
  const [first = '', ...rest] = wordsOf(family);
  const particles = rest.findIndex((word) => PARTICLES.has(word.toLowerCase()));
  const last = particles === -1 ? rest.slice(-1) : rest.slice(particles);
  return comparableName(first, '', last.join(' '));
}

/** "Dr.", "Jr." and the like are not part of a comparable name. */
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
