/**
 * The part of a profile that rankings and monthly results use. This part is a short text that is encrypted with the
 * profile's key. The texts of all profiles have the same length, because a varying length would reveal the size of an
 * amount.
 */

import { CAPACITY_BANDS, findBand, MILLION } from '../core/capacity.ts';
import type { Profile } from '../core/profile.ts';
import { damagedProfile } from './damaged-profile.ts';

/** The data about a contact that a ranking uses. */
export interface GivingRecord {
  /**
   * The band of the giving capacity. 0 is the largest capacity (`CAPACITY_BANDS`). Null if the giving capacity is
   * unknown.
   */
  band: number | null;
  /** True if the net worth is at least a million US dollars. */
  isMillionaire: boolean;
  /** True if the service reports that the person has died. */
  isDeceased: boolean;
}

/**
 * Creates the record of a profile. Uses the higher of the two capacities, as `capacity.highest` does. A pure function.
 */
export function toGivingRecord({ capacity, netWorth, isDeceased }: Profile): GivingRecord {
  const known = [capacity.nonprofit, capacity.political].flatMap((amount) => amount ?? []);
  const band = findBand(known.length === 0 ? null : Math.max(...known));
  return { band, isMillionaire: (netWorth?.low ?? 0) >= MILLION, isDeceased };
}

const FORM = '1';
const UNKNOWN_BAND = '-';

/** The number of characters in every record. */
export const GIVING_LENGTH = 4;

/** Returns a record as text. A pure function. */
export function formatGiving({ band, isMillionaire, isDeceased }: GivingRecord): string {
  return `${FORM}${band ?? UNKNOWN_BAND}${isMillionaire ? 1 : 0}${isDeceased ? 1 : 0}`;
}

/** Parses a record. Throws a FatalError for any other text. A pure function. */
export function parseGiving(text: string): GivingRecord {
  const [form, band = '', million, deceased] = text;
  const isBand = band === UNKNOWN_BAND || Number(band) < CAPACITY_BANDS.length;
  if (form !== FORM || !isBand) throw damagedProfile();
  return {
    band: band === UNKNOWN_BAND ? null : Number(band),
    isMillionaire: million === '1',
    isDeceased: deceased === '1',
  };
}
