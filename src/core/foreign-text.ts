/**
 * Holds an error message from a CRM, a service or a sign-in server. The message of a CRM rule may contain names,
 * amounts and notes. The separate type prevents other messages, logs and documents from containing the text by
 * accident. Only `reveal` returns the text, for encryption or for a user who decides.
 */
import { plainLine } from './printable.ts';

export interface ForeignText {
  /** The sender's own code, for example `FIELD_CUSTOM_VALIDATION_EXCEPTION`. */
  readonly code: string;
  /** The names of the affected fields. */
  readonly fields: readonly string[];
  /** Returns the text as one line of at most `MAX_FOREIGN_TEXT` characters, without control characters. */
  reveal(): string;
}

/** The maximum length of a stored message, in characters. */
const MAX_FOREIGN_TEXT = 500;

/** The time after which messages are deleted (ms). */
export const FOREIGN_TEXT_LIFE_MS = 30 * 86_400_000;

/** Wraps a text. Returns null if the text is empty. */
export function foreignText(
  text: string | null | undefined,
  { code, fields = [] }: { code: string; fields?: readonly string[] },
): ForeignText | null {
  // The text is shortened first, because a message may have several megabytes.
  const said = plainLine((text ?? '').slice(0, 4 * MAX_FOREIGN_TEXT)).trim();
  if (said === '') return null;
  const kept = said.length > MAX_FOREIGN_TEXT ? `${cut(said, MAX_FOREIGN_TEXT - 1)}…` : said;
  return { code, fields, reveal: () => kept };
}

/** Shortens a string, but never splits a surrogate pair. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** Replaces an invalid code. */
const UNKNOWN_CODE = 'UNKNOWN';

/** Returns the code, or `UNKNOWN` if the text does not look like a CRM's code, because it could be a message. */
export function foreignCode(code: string): string {
  return /^[A-Z][A-Z0-9_]{1,79}$/.test(code) ? code : UNKNOWN_CODE;
}

/** Returns the texts that can be names of fields, without duplicates. */
export function foreignFields(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => /^[A-Za-z][\w.]{0,99}$/.test(name)))];
}
