/** Checks whether two donors agree in everything that is known about both. */

import type { Candidate } from './donor-index.ts';

/**
 * Returns true if names, suffix and dates of birth are equal, and everything known about both agrees. At least one
 * detail must be known about both. A full date of birth that the person shares is enough.
 */
export function agreeInFull(one: Candidate, other: Candidate, born = ''): boolean {
  const isSameName =
    one.first === other.first &&
    one.last === other.last &&
    one.generation === other.generation &&
    one.middles.join(' ') === other.middles.join(' ');
  // An invented father and son share all known data, but are certainly two donors.
  if (!isSameName || one.isInvented || one.isDead !== other.isDead) return false;
  if (one.born !== '' && other.born !== '' && one.born !== other.born) return false;
  // Two donors with the same name and date of birth are one person, wherever they are said to live.
  if (born.length === WHOLE_DAY && one.born === born && other.born === born) return true;
  const homes = share(one.addresses().map(textOf), other.addresses().map(textOf));
  const employers = share(one.employers(), other.employers());
  return homes !== false && employers !== false && (homes === true || employers === true);
}

/**
 * Returns true if the same details are known about both, so one could be a copy of the other. If birth, work or school
 * is known for only one of them, they could also be a father and a son with the same name and home.
 */
export function areKnownAlike(one: Candidate, other: Candidate): boolean {
  const isKnown = ({ addresses, employers, hasStudied }: Candidate) =>
    [addresses().length > 0, employers().length > 0, hasStudied].join();
  if (one.born !== other.born) return false;
  // No relative has both the same name and the same date of birth.
  return one.born.length === WHOLE_DAY || isKnown(one) === isKnown(other);
}

function textOf(address: object): string {
  return JSON.stringify(address);
}

const WHOLE_DAY = 10;

/**
 * Returns true if the two lists have an entry in common. Returns undefined if one of them is empty, because then
 * nothing is known.
 */
function share(mine: readonly string[], theirs: readonly string[]): boolean | undefined {
  if (mine.length === 0 || theirs.length === 0) return undefined;
  return mine.some((one) => theirs.includes(one));
}
