import type { Candidate } from './donor-index.ts';

/**
 * Returns true if all names, suffixes, dates of birth and common details of two records agree. The records must have at
 * least one common detail, or the same full date of birth.
 */
export function agreeInFull(one: Candidate, other: Candidate, born = ''): boolean {
  const isSameName =
    one.first === other.first &&
    one.last === other.last &&
    one.generation === other.generation &&
    one.middles.join(' ') === other.middles.join(' ');
  // A fictional father and a fictional son may share all known data.
  if (!isSameName || one.isInvented || one.isDead !== other.isDead) return false;
  if (one.born !== '' && other.born !== '' && one.born !== other.born) return false;
  // Two donors with the same name and the same date of birth are one person, even if their addresses differ.
  if (born.length === WHOLE_DAY && one.born === born && other.born === born) return true;
  const homes = share(one.addresses().map(textOf), other.addresses().map(textOf));
  const employers = share(one.employers(), other.employers());
  return homes !== false && employers !== false && (homes === true || employers === true);
}

/**
 * Returns true if one record could be a copy of the other record. If only one record contains a date of birth, a job or
 * a school, the two could be father and son.
 */
export function areKnownAlike(one: Candidate, other: Candidate): boolean {
  const isKnown = ({ addresses, employers, hasStudied }: Candidate) =>
    [addresses().length > 0, employers().length > 0, hasStudied].join();
  if (one.born !== other.born) return false;
  // Two relatives never have both the same name and the same date of birth.
  return one.born.length === WHOLE_DAY || isKnown(one) === isKnown(other);
}

function textOf(address: object): string {
  return JSON.stringify(address);
}

const WHOLE_DAY = 10;

/** Returns true if the two lists have an entry in common. Returns undefined if one of the lists is empty. */
function share(mine: readonly string[], theirs: readonly string[]): boolean | undefined {
  if (mine.length === 0 || theirs.length === 0) return undefined;
  return mine.some((one) => theirs.includes(one));
}
