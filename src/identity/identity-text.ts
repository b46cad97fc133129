/**
 * Stores fingerprints of identities as text and compares them.
 *
 * The form is `2:WHOLE:NAME:SOURCES.ADDRESSES:SOURCES.EMPLOYERS`. WHOLE is the fingerprint of the whole identity in the
 * CRM's spelling. The parts are fingerprints of the canonical spelling. SOURCES identifies the CRM fields of a part.
 * The first number is the version of the canonical spelling. A new spelling needs a new number, and the old code must
 * remain as long as its fingerprints exist.
 */
import type { ChangedPart } from '../core/changed-parts.ts';

/** A part that is built from fields that may be unreadable. */
export interface SourcedPart {
  /** A text that identifies the fields of the part. Two texts are equal only for the same fields. */
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
 * The identity that a contact will have at its next reading. After a merge, the credit counts as spent on that
 * identity, so the merged contact's new details need no second credit.
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

/** Parses a stored identity. Returns null if the text lacks the parts. */
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
 * Returns a text that is equal for two contacts with the same details in any spelling. Both texts must come from
 * identities that were built from the same fields. Returns null if the fingerprint lacks its parts.
 */
export function detailsOf(text: string): string | null {
  const parsed = parseIdentityText(text);
  if (parsed === null) return null;
  const { name, addresses, employers } = parsed;
  return [name, joined(addresses), joined(employers)].join(':');
}

/**
 * Returns the parts that differ between two stored fingerprints. Parts from different fields cannot be compared and are
 * left out.
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
