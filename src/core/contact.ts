/** What tells one human being from another: the part of a contact that the service is shown. */
export interface Identity {
  firstName: string | null;
  lastName: string | null;
  /** Free-text addresses, the most telling one first. */
  addresses: readonly string[];
  /** Employer names, the present one first. */
  employers: readonly string[];
}

/** A person record in the CRM, known to us by its CRM id. */
export interface Contact extends Identity {
  id: string;
  /** True if the CRM says that this person must not be researched. */
  optedOut: boolean;
}

/**
 * The identity in one canonical text, from which its fingerprint is made. Case, accents and
 * runs of white space do not make somebody a new person; the order of addresses and employers
 * does not either, since CRMs do not promise one.
 */
export function identityText(identity: Identity): string {
  return JSON.stringify([
    canonical(identity.firstName ?? ''),
    canonical(identity.lastName ?? ''),
    identity.addresses.map(canonical).filter(Boolean).sort(),
    identity.employers.map(canonical).filter(Boolean).sort(),
  ]);
}

/** Accents (combining marks after decomposition), white space and case folded away. */
function canonical(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
