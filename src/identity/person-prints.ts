/**
 * Fingerprints by which a person is recognised under another id, without a name or an address. They
 * are those of the parts of an identity (`identity-text.ts`), so that what the store remembers of a
 * contact can be compared with a record that was just read.
 */
import type { Identity } from '../core/contact.ts';
import { canonicalAddress } from './canonical-address.ts';
import { canonicalEmployer, canonicalName } from './canonical-name.ts';
import { parseIdentityText } from './identity-text.ts';

/** A keyed hash: `(purpose, text) => 22 characters`. */
type Fingerprint = (purpose: string, text: string) => string;

export interface PersonPrints {
  name: string;
  /** One for each address and, if there are several, one for all of them together. */
  addresses: readonly string[];
  employers: readonly string[];
}

/** 64 bits tell one value of a contact from the next; the odds to miss a change are 1 in 10^19. */
const PART_LENGTH = 11;

export type PartPurpose = 'identity_name' | 'identity_addresses' | 'identity_employers';

export function partPrint(fingerprint: Fingerprint, purpose: PartPurpose, text: string): string {
  return fingerprint(purpose, text).slice(0, PART_LENGTH);
}

export function namePrint(
  fingerprint: Fingerprint,
  { firstName, lastName }: Pick<Identity, 'firstName' | 'lastName'>,
): string {
  const name = `${canonicalName(firstName ?? '')}\n${canonicalName(lastName ?? '')}`;
  return partPrint(fingerprint, 'identity_name', name);
}

/** Different values in canonical spelling and in one order: CRMs promise none. */
export function distinctTexts(texts: readonly string[]): string[] {
  return [...new Set(texts.filter(Boolean))].sort();
}

/** The prints of a record that was just read; null if it has no name. */
export function personPrintsOf(
  fingerprint: Fingerprint,
  identity: Identity,
  name: string = namePrint(fingerprint, identity),
): PersonPrints | null {
  if (!identity.firstName?.trim() && !identity.lastName?.trim()) return null;
  return {
    name,
    addresses: printsOf('identity_addresses', identity.addresses.map(canonicalAddress)),
    employers: printsOf('identity_employers', identity.employers.map(canonicalEmployer)),
  };

  function printsOf(purpose: PartPurpose, canonical: readonly string[]): string[] {
    const texts = distinctTexts(canonical);
    const whole = texts.length > 1 ? [texts.join('\n')] : [];
    return [...texts, ...whole].map((text) => partPrint(fingerprint, purpose, text));
  }
}

/** The prints of a contact as the store remembers it; null where it does not tell the parts. */
export function storedPersonPrints(
  fingerprint: Fingerprint,
  identity: string,
): PersonPrints | null {
  const parts = parseIdentityText(identity);
  if (parts === null || parts.name === namePrint(fingerprint, NO_NAME)) return null;
  return {
    name: parts.name,
    addresses: printsIn('identity_addresses', parts.addresses.fingerprint),
    employers: printsIn('identity_employers', parts.employers.fingerprint),
  };

  /** Rows that were made before empty parts were left out have a fingerprint of nothing. */
  function printsIn(purpose: PartPurpose, print: string): string[] {
    return print === '' || print === partPrint(fingerprint, purpose, '') ? [] : [print];
  }
}

const NO_NAME = { firstName: null, lastName: null };

/** What two readings of one person know together. */
export function joinedPrints(
  one: PersonPrints | null,
  other: PersonPrints | null,
): PersonPrints | null {
  if (one === null || other === null || one.name !== other.name) return one ?? other;
  return {
    name: one.name,
    addresses: [...new Set([...one.addresses, ...other.addresses])],
    employers: [...new Set([...one.employers, ...other.employers])],
  };
}

/**
 * Pure: true if both may be one person: the same name in canonical spelling, and an equal address or
 * employer. Where neither part is known of both, the name alone counts: nothing tells them apart.
 */
export function mayBeSamePerson(one: PersonPrints, other: PersonPrints): boolean {
  if (one.name !== other.name) return false;
  const shared = (a: readonly string[], b: readonly string[]) => a.some((each) => b.includes(each));
  if (shared(one.addresses, other.addresses) || shared(one.employers, other.employers)) return true;
  const areComparable = (a: readonly string[], b: readonly string[]) =>
    a.length > 0 && b.length > 0;
  return (
    !areComparable(one.addresses, other.addresses) && !areComparable(one.employers, other.employers)
  );
}
