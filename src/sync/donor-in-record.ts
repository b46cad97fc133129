/** Finds the donor ID that a CRM record contains, whoever wrote it. All functions are pure. */

import type { RecordLookup } from '../../connectors/contract.ts';
import type { Run } from './control/context.ts';

/** The format of the service's donor IDs (service document, section 2.6). */
const DONOR_ID = /^[0-9a-f]{32}$/;

/** Returns the CRM fields for donor IDs in the field map, or an empty list if there are none. */
export function donorIdFields({ mappings, fields }: Pick<Run, 'mappings' | 'fields'>): string[] {
  return listFields({ mappings, fields }, 'donorId');
}

/** Returns the CRM fields that the field map fills from this source and that the CRM has. */
export function listFields(
  { mappings, fields }: Pick<Run, 'mappings' | 'fields'>,
  from: string,
): string[] {
  const present = new Set(fields.map(({ name }) => name));
  return mappings.flatMap((mapping) =>
    mapping.from === from && present.has(mapping.to) ? [mapping.to] : [],
  );
}

/** Returns the donor ID in a record. Returns null if the record has no donor ID in the service's format. */
export function donorIdIn(
  lookup: RecordLookup | undefined,
  fields: readonly string[],
): string | null {
  if (lookup?.state !== 'found') return null;
  for (const field of fields) {
    const value = lookup.values[field];
    if (typeof value === 'string' && DONOR_ID.test(value)) return value;
  }
  return null;
}
