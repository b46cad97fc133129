import { ConfigurationError } from '../../src/core/errors.ts';
import { didYouMean } from '../../src/core/near-miss.ts';
import type { DescribedField, ObjectDescription } from './describe.ts';
import type { ColumnReader } from './query.ts';
import { canonicalValue } from './values.ts';

/** Types of fields whose values are options: one of them may well say "No". */
export const PICKLIST_TYPES: ReadonlySet<string> = new Set([
  'picklist',
  'multipicklist',
  'combobox',
]);

/** A field of Contact; a ConfigurationError if the integration's user sees none of that name. */
export function requireField(
  { fields }: ObjectDescription,
  name: string,
  reason: string,
): DescribedField {
  const field = fields.get(name);
  if (field !== undefined) return field;
  const guess = didYouMean(name, fields.keys());
  const message = `Contact has no field ${name}, or it is hidden from the integration's user${guess || '.'} ${reason}`;
  throw new ConfigurationError(message, { code: 'crm_field_missing', details: { field: name } });
}

/**
 * The value of a field by which people are left out. An answer without it says nothing of them,
 * and that must not look like permission.
 */
export function markOf(read: ColumnReader, name: string): unknown {
  const raw = read(name);
  if (raw !== undefined) return raw;
  throw new ConfigurationError(
    `Salesforce left the field ${name} out of its answer, and it tells who must not be researched: let the integration's user read it, and try again.`,
    { code: 'crm_field_missing', details: { field: name } },
  );
}

/** A checkbox says it; of any other field every value but zero does. */
export function isMarked(raw: unknown, field: DescribedField): boolean {
  const value = canonicalValue(raw, field);
  return value !== null && value !== false && value !== 0;
}
