import type { RecordLookup } from '../../connectors/contract.ts';

/** The contact's present name in the CRM; null if it is no longer there. */
export function contactName(lookup: RecordLookup | undefined): string | null {
  if (lookup?.state !== 'found') return null;
  const { firstName, lastName } = lookup.contact;
  return nameText([firstName, lastName]);
}

/** The existing parts of a name, as one text. */
export function nameText(parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ') || '(no name)';
}
