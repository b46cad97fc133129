import { ConfigurationError } from '../../src/core/errors.ts';
import type { ContactsSettings } from '../contract.ts';

/** Recognises words for "yes" and "no" in cells and options. */

/**
 * Words for "no" in English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian, Finnish,
 * Polish, Czech, Hungarian and Romanian. Includes the values that spreadsheets in these languages write for a checkbox.
 */
const NO = new Set([
  ...['', 'false', 'f', 'no', 'n', '0', 'off', 'unchecked'],
  ...['nein', 'non', 'nao', 'nee', 'nej', 'nei', 'ei', 'nie', 'ne', 'nem', 'nu'],
  ...['falsch', 'faux', 'falso', 'onwaar', 'falskt', 'falsk', 'usann', 'epatosi', 'fałsz'],
  ...['nepravda', 'hamis', 'fals'],
]);
const YES = new Set([
  ...['true', 't', 'yes', 'y', '1', 'on', 'x', 'checked', '✓', '✔', '☑'],
  ...['ja', 'j', 'oui', 'o', 'si', 's', 'sim', 'kylla', 'tak', 'ano', 'igen', 'da'],
  ...['wahr', 'vrai', 'verdadero', 'vero', 'verdadeiro', 'waar', 'sant', 'sand', 'sann', 'tosi'],
  ...['prawda', 'pravda', 'igaz', 'adevarat'],
]);

/** Returns true for a marking word. In a column of marks, every word except the words for "no" marks the contact. */
export function isMarked(text: string): boolean {
  return !NO.has(plain(text));
}

/** Returns true for a word for "yes" and false for a word for "no". Returns null for any other word. */
export function yesOrNo(text: string): boolean | null {
  const word = plain(text);
  if (word === '') return null;
  if (YES.has(word)) return true;
  return NO.has(word) ? false : null;
}

/** Returns a word in normalised form without accents, such as `nao` for `Não`. */
function plain(text: string): string {
  return folded(text)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
}

/** Normalises a text. White space and letter case are ignored, so `Yes ` becomes `yes`. */
export function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

/**
 * Throws if the settings contain `optOutValues` without an opt-out field. Without this error, donor-sync would ignore
 * all opt-outs.
 */
export function requireOptOutField({ optOutField, optOutValues }: ContactsSettings): void {
  if (optOutValues == null || optOutField !== null) return;
  const message =
    'contacts.optOutValues lists the values that mean an opt-out, but contacts.optOutField does not name their field. Name the field.';
  throw new ConfigurationError(message, { code: 'opt_out_values_unknown' });
}
