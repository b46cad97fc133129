/** What a set-up does not show the service, and what that costs. Pure. */

/** A part of an identity that no column has. */
export interface MissingPart {
  part: 'address' | 'employer';
  /** What its absence costs, as the rest of a sentence. */
  price: string;
}

/** The parts that these columns leave out. */
export function missingParts({
  addresses,
  employers,
}: {
  addresses: readonly string[];
  employers: readonly string[];
}): MissingPart[] {
  const missing: MissingPart[] = [];
  if (addresses.length === 0) {
    missing.push({
      part: 'address',
      price:
        'the service then knows fewer of the contacts, and a contact that it does not know costs its credit all the same',
    });
  }
  if (employers.length === 0) {
    missing.push({
      part: 'employer',
      price: 'the service then knows fewer of the contacts that have a common name',
    });
  }
  return missing;
}
