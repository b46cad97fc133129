/**
 * Fingerprints of identities as the store keeps them, and what two of them say of each other.
 *
 * `2:WHOLE:NAME:SOURCES.ADDRESSES:SOURCES.EMPLOYERS`. WHOLE covers everything in the spelling of the
 * CRM; the parts cover the canonical spelling. SOURCES says which fields of the CRM a part was made
 * of. The number in front is the version of the canonical spelling: a change of it needs a new
 * number, and the old way stays in the code as long as there may be fingerprints of it.
 */

/** A part of an identity that can change by itself. */
export type IdentityPart = 'name' | 'addresses' | 'employers';

/** What has changed; `unknown` where a fingerprint does not tell its parts, as before the next reading. */
export type ChangedPart = IdentityPart | 'unknown';

/** All of them, in the order in which they are shown. */
export const CHANGED_PARTS = [
  'name',
  'addresses',
  'employers',
  'unknown',
] as const satisfies readonly ChangedPart[];

/** A part that is made of fields which may be unreadable. */
export interface SourcedPart {
  /** Names the fields that it was made of; equal only for the same ones. */
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
 * Stands for the identity that a contact will have when it is read next: after a merge, that is what its credit was
 * spent on. A merge brings details along, and those are no change that earns another credit.
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

/** The parts of a fingerprint; null for a text that does not tell them. */
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
 * What changed between two fingerprints of the store. A part that was made of other fields says
 * nothing: the fields changed, not the person.
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
