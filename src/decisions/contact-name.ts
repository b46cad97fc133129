import type { RecordLookup } from '../../connectors/contract.ts';

/** Returns the contact's current name in the CRM, or null if the contact is no longer there. */
export function contactName(lookup: RecordLookup | undefined): string | null {
  if (lookup?.state !== 'found') return null;
  const { firstName, lastName } = lookup.contact;
  return nameText([firstName, lastName]);
}

/** Joins the existing parts of a name. */
export function nameText(parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ') || '(no name)';
}
