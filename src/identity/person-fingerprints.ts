/**
 * Recognises a person under a different ID, without storing names or addresses. Uses the parts of an identity's
 * fingerprint, so that stored data can be compared with a record.
 */
import type { Identity } from '../core/contact.ts';
import { canonicalAddress } from './canonical-address.ts';
import { canonicalEmployer, canonicalName } from './canonical-name.ts';
import { parseIdentityText } from './identity-text.ts';

/** Returns a keyed hash of 22 characters. */
type Fingerprint = (purpose: string, text: string) => string;

export interface PersonFingerprints {
  name: string;
  /** A fingerprint for each address. If there are several addresses, they also have a joint fingerprint. */
  addresses: readonly string[];
  employers: readonly string[];
  /** The fingerprints of the name's words. Defaults to none. */
  names?: readonly string[];
}

/**
 * The length of a fingerprint. The 64 bits of a fingerprint distinguish the values of a contact. The probability that a
 * change is missed is 1 in 10^19.
 */
const PART_LENGTH = 11;

export type PartPurpose = 'identity_name' | 'identity_addresses' | 'identity_employers';

export function partFingerprint(
  fingerprint: Fingerprint,
  purpose: PartPurpose,
  text: string,
): string {
  return fingerprint(purpose, text).slice(0, PART_LENGTH);
}

export function nameFingerprint(
  fingerprint: Fingerprint,
  { firstName, lastName }: Pick<Identity, 'firstName' | 'lastName'>,
): string {
  const name = `${canonicalName(firstName ?? '')}\n${canonicalName(lastName ?? '')}`;
  return partFingerprint(fingerprint, 'identity_name', name);
}

/** Returns the different texts in sorted order, because CRMs guarantee no order. */
export function distinctTexts(texts: readonly string[]): string[] {
  return [...new Set(texts.filter(Boolean))].sort();
}

/** Returns the fingerprints of a person. Returns null for a record without a name. */
export function fingerprintPerson(
  fingerprint: Fingerprint,
  identity: Identity,
  name: string = nameFingerprint(fingerprint, identity),
): PersonFingerprints | null {
  if (!identity.firstName?.trim() && !identity.lastName?.trim()) return null;
  return {
    name,
    addresses: fingerprintTexts('identity_addresses', identity.addresses.map(canonicalAddress)),
    employers: fingerprintTexts('identity_employers', identity.employers.map(canonicalEmployer)),
  };

  function fingerprintTexts(purpose: PartPurpose, canonical: readonly string[]): string[] {
    const texts = distinctTexts(canonical);
    const whole = texts.length > 1 ? [texts.join('\n')] : [];
    return [...texts, ...whole].map((text) => partFingerprint(fingerprint, purpose, text));
  }
}

/** Returns the fingerprints in a stored text. Returns null if the text lacks the parts. */
export function storedPersonFingerprints(
  fingerprint: Fingerprint,
  identity: string,
): PersonFingerprints | null {
  const parts = parseIdentityText(identity);
  if (parts === null || parts.name === nameFingerprint(fingerprint, NO_NAME)) return null;
  return {
    name: parts.name,
    addresses: fingerprintsIn(parts.addresses.fingerprint),
    employers: fingerprintsIn(parts.employers.fingerprint),
  };

  function fingerprintsIn(stored: string): string[] {
    return stored === '' ? [] : [stored];
  }
}

const NO_NAME = { firstName: null, lastName: null };

/** True if the fingerprints are enough to recognise the person. For example, a name alone is not enough. */
export function canBeRecognised(person: PersonFingerprints | null): boolean {
  return person !== null && person.name !== '';
}

export function joinedFingerprints(
  one: PersonFingerprints | null,
  other: PersonFingerprints | null,
): PersonFingerprints | null {
  if (one === null || other === null || one.name !== other.name) return one ?? other;
  return {
    name: one.name,
    addresses: [...new Set([...one.addresses, ...other.addresses])],
    employers: [...new Set([...one.employers, ...other.employers])],
  };
}

/**
 * True if both may be the same person. The name must match, and an address or an employer must be equal. If there are
 * no other parts, only the names count. A pure function.
 */
export function mayBeSamePerson(one: PersonFingerprints, other: PersonFingerprints): boolean {
  if (one.name !== other.name) return false;
  const shared = (a: readonly string[], b: readonly string[]) => a.some((each) => b.includes(each));
  if (shared(one.addresses, other.addresses) || shared(one.employers, other.employers)) return true;
  const areComparable = (a: readonly string[], b: readonly string[]) =>
    a.length > 0 && b.length > 0;
  return (
    !areComparable(one.addresses, other.addresses) && !areComparable(one.employers, other.employers)
  );
}
