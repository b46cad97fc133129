/**
 * Stores fingerprints of identities as text and compares them.
 *
 * The form is `2:WHOLE:NAME:SOURCES.ADDRESSES:SOURCES.EMPLOYERS`. WHOLE covers everything in the CRM's spelling. The
 * parts cover the canonical spelling. SOURCES identifies the CRM fields that a part was built from. The first number is
 * the version of the canonical spelling. If that spelling changes, a new number is needed, and the old code stays as
 * long as its fingerprints may exist.
 */

/** A part of an identity that can change separately. */
export type IdentityPart = 'name' | 'addresses' | 'employers';

/** What has changed. `unknown` if a fingerprint does not contain its parts, as before the next reading. */
export type ChangedPart = IdentityPart | 'unknown';

/** All parts, in the order in which they are shown. */
export const CHANGED_PARTS = [
  'name',
  'addresses',
  'employers',
  'unknown',
] as const satisfies readonly ChangedPart[];

/** A part that is built from fields that may be unreadable. */
export interface SourcedPart {
  /** Identifies the fields that the part was built from. Equal only for the same fields. */
  sources: string;
  fingerprint: string;
}

export interface IdentityParts {
  name: string;
  addresses: SourcedPart;
  employers: SourcedPart;
}

export interface ParsedIdentity extends IdentityParts {
  whole: string;
}

/**
 * Represents the identity that a contact will have at its next reading. After a merge, the credit counts as
 * spent on that identity. A merge brings new details, but they are not a change that needs another credit.
 */
export const NEXT_READING = 'next_reading';

const VERSION = '2';
const TEXT = /^2:([^:]+):([^:]+):([^:.]*)\.([^:.]*):([^:.]*)\.([^:.]*)$/;

export function toIdentityText({ whole, name, addresses, employers }: ParsedIdentity): string {
  return `${VERSION}:${whole}:${name}:${joined(addresses)}:${joined(employers)}`;
}

function joined({ sources, fingerprint }: SourcedPart): string {
  return `${sources}.${fingerprint}`;
}

/** Returns a fingerprint's parts, or null if the text does not contain them. */
export function parseIdentityText(text: string): ParsedIdentity | null {
  const match = TEXT.exec(text);
  if (match === null) return null;
  const [, whole = '', name = '', from = '', addresses = '', by = '', employers = ''] = match;
  return {
    whole,
    name,
    addresses: { sources: from, fingerprint: addresses },
    employers: { sources: by, fingerprint: employers },
  };
}

/**
 * Returns the part of a fingerprint that is the same for two contacts with the same details, in any spelling. Both must
 * be built from the same fields. Returns null if the fingerprint does not contain its parts.
 */
export function detailsOf(text: string): string | null {
  const parsed = parseIdentityText(text);
  if (parsed === null) return null;
  const { name, addresses, employers } = parsed;
  return [name, joined(addresses), joined(employers)].join(':');
}

/**
 * Returns what has changed between two stored fingerprints. If a part was built from different fields, it is not
 * compared, because the fields have changed and not the person.
 */
export function changedParts(before: string, after: string): ChangedPart[] {
  if (before === after) return [];
  const [old, now] = [parseIdentityText(before), parseIdentityText(after)];
  if (old === null || now === null) return ['unknown'];
  const changed: ChangedPart[] = old.name === now.name ? [] : ['name'];
  for (const part of ['addresses', 'employers'] as const) {
    const isComparable = old[part].sources === now[part].sources;
    if (isComparable && old[part].fingerprint !== now[part].fingerprint) changed.push(part);
  }
  return changed;
}
