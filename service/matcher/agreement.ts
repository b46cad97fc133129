/** Whether two donors agree in everything that is known about both. */

import type { Candidate } from './donor-index.ts';

/**
 * True if names, suffix and births are equal, and everything known about both agrees. At least one part must be known
 * about both. A day of birth that the sought person shares is enough.
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
  // Two donors with the same name and date of birth are one person, regardless of where they are said to
  // live.
  if (born.length === WHOLE_DAY && one.born === born && other.born === born) return true;
  const homes = share(one.addresses().map(textOf), other.addresses().map(textOf));
  const employers = share(one.employers(), other.employers());
  return homes !== false && employers !== false && (homes === true || employers === true);
}

/**
 * True if the same is known about both, so one may be a copy of the other. If birth, work or school is known for only
 * one of them, they may as well be a father and a son with the same name and home.
 */
export function areKnownAlike(one: Candidate, other: Candidate): boolean {
  const isKnown = ({ addresses, employers, hasStudied }: Candidate) =>
    [addresses().length > 0, employers().length > 0, hasStudied].join();
  if (one.born !== other.born) return false;
  // Nobody has the same name and day of birth as a relative.
  return one.born.length === WHOLE_DAY || isKnown(one) === isKnown(other);
}

function textOf(address: object): string {
  return JSON.stringify(address);
}

const WHOLE_DAY = 10;

/** True if the two lists have an entry in common. Undefined if one of them is empty, because then nothing is known. */
function share(mine: readonly string[], theirs: readonly string[]): boolean | undefined {
  if (mine.length === 0 || theirs.length === 0) return undefined;
  return mine.some((one) => theirs.includes(one));
}
