import { ConfigurationError } from '../src/core/errors.ts';
import type { ContactsSettings } from './contract.ts';

/** Values that opt out of nowhere would opt out no contact, without a word. */
export function requireOptOutField({ optOutField, optOutValues }: ContactsSettings): void {
  if (optOutValues == null || optOutField !== null) return;
  const message =
    'contacts.optOutValues says what opts out, but contacts.optOutField not where: name the field.';
  throw new ConfigurationError(message, { code: 'opt_out_values_unknown' });
}
