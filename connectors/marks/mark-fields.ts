import { ConfigurationError } from '../../src/core/errors.ts';
import { didYouMean } from '../../src/core/near-miss.ts';
import type { ContactsSettings } from '../contract.ts';
import { requireOptOutField } from './yes-or-no.ts';

const MARK_SETTINGS = ['optOutField', 'deceasedField', 'doNotContactField'] as const;

/**
 * Throws a ConfigurationError if the settings name a mark field that does not exist. Also throws if the settings list
 * values without a field. Without these errors, a mistake in the settings would make donor-sync ignore all opt-outs.
 */
export function requireMarkFields(contacts: ContactsSettings, fields: Iterable<string>): void {
  requireOptOutField(contacts);
  const known = new Set(fields);
  for (const setting of MARK_SETTINGS) {
    const field = contacts[setting] ?? null;
    if (field === null || known.has(field)) continue;
    const guess = didYouMean(field, known);
    throw new ConfigurationError(
      `The CRM has no field ${field}${guess || '.'} contacts.${setting} names it: correct the name.`,
      { code: 'crm_field_missing', details: { field } },
    );
  }
}
