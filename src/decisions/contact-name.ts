import type { RecordLookup } from '../../connectors/contract.ts';

export function contactName(lookup: RecordLookup | undefined): string | null {
  if (lookup?.state !== 'found') return null;
  const { firstName, lastName } = lookup.contact;
  return nameText([firstName, lastName]);
}

export function nameText(parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ') || '(no name)';
}
