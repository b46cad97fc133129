/**
 * Text from outside, such as error messages from a CRM, a service or a sign-in server. If a rule in an org produces it,
 * it may quote names, amounts and notes. So it has its own type, which no message, log or document can include by
 * accident: as JSON, it contains only its code and its fields. Only `reveal` returns the text, so that it can be
 * encrypted or shown to a user who decides.
 */
import { plainLine } from './printable.ts';

export interface ForeignText {
  /** The sender's own code, for example `FIELD_CUSTOM_VALIDATION_EXCEPTION`. */
  readonly code: string;
  /** The names of the affected fields. */
  readonly fields: readonly string[];
  /** Returns the text as one line of at most `MAX_FOREIGN_TEXT` characters, without active characters. */
  reveal(): string;
}

/** How many characters of a text are kept. */
const MAX_FOREIGN_TEXT = 500;

/** How long a text is kept (ms). */
export const FOREIGN_TEXT_LIFE_MS = 30 * 86_400_000;

/** Wraps a text. Returns null if it is empty. */
export function foreignText(
  text: string | null | undefined,
  { code, fields = [] }: { code: string; fields?: readonly string[] },
): ForeignText | null {
  // Shortened first, so a text of several megabytes is not processed completely.
  const said = plainLine((text ?? '').slice(0, 4 * MAX_FOREIGN_TEXT)).trim();
  if (said === '') return null;
  const kept = said.length > MAX_FOREIGN_TEXT ? `${cut(said, MAX_FOREIGN_TEXT - 1)}…` : said;
  return { code, fields, reveal: () => kept };
}

/** Shortens a text, but never splits a surrogate pair. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** Used in place of an invalid code. */
const UNKNOWN_CODE = 'UNKNOWN';

/**
 * Returns a code in the form of the CRMs' codes (`STRING_TOO_LONG`), or `UNKNOWN`, because anything else could be a
 * message.
 */
export function foreignCode(code: string): string {
  return /^[A-Z][A-Z0-9_]{1,79}$/.test(code) ? code : UNKNOWN_CODE;
}

/** Returns the names that can be names of fields, without duplicates. */
export function foreignFields(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => /^[A-Za-z][\w.]{0,99}$/.test(name)))];
}
