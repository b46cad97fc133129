import { ConfigurationError } from '../src/core/errors.ts';
import type { ContactsSettings } from './contract.ts';

/** Words of people for yes and no, as they stand in cells and options. */

const NO = new Set(['', 'false', 'f', 'no', 'n', '0', 'off']);
const YES = new Set(['true', 't', 'yes', 'y', '1', 'on', 'x']);

/** False for what says no or nothing; anything else in a column of marks means yes. */
export function isMarked(text: string): boolean {
  return !NO.has(folded(text));
}

/** True for yes, false for no, null for any other word. */
export function yesOrNo(text: string): boolean | null {
  const word = folded(text);
  if (word === '') return null;
  if (YES.has(word)) return true;
  return NO.has(word) ? false : null;
}

/** White space and case folded away, so that `Yes ` is `yes`. */
export function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Values that opt out of nowhere would opt out no contact, without a word. */
export function requireOptOutField({ optOutField, optOutValues }: ContactsSettings): void {
  if (optOutValues == null || optOutField !== null) return;
  const message =
    'contacts.optOutValues says what opts out, but contacts.optOutField not where: name the field.';
  throw new ConfigurationError(message, { code: 'opt_out_values_unknown' });
}
