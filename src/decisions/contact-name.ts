import type { RecordLookup } from '../../connectors/contract.ts';

/** The name of a contact as the CRM has it now; null if it is not there any more. */
export function contactName(lookup: RecordLookup | undefined): string | null {
  if (lookup?.state !== 'found') return null;
  const { firstName, lastName } = lookup.contact;
  return nameText([firstName, lastName]);
}

/** The parts of a name that there are, in one text. */
export function nameText(parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ') || '(no name)';
}
