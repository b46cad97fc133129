/**
 * Error messages from a CRM, a service or a sign-in server. A CRM rule's message may quote names, amounts and notes. A
 * separate type prevents messages, logs and documents from including the text by accident. Only `reveal` returns the
 * text, for encryption or for a deciding user.
 */
import { plainLine } from './printable.ts';

export interface ForeignText {
  /** The sender's own code, for example `FIELD_CUSTOM_VALIDATION_EXCEPTION`. */
  readonly code: string;
  /** The names of the affected fields. */
  readonly fields: readonly string[];
  /** Returns one line of at most `MAX_FOREIGN_TEXT` characters, without active characters. */
  reveal(): string;
}

/** The maximum length of a stored message, in characters. */
const MAX_FOREIGN_TEXT = 500;

/** Messages are deleted after this time (ms). */
export const FOREIGN_TEXT_LIFE_MS = 30 * 86_400_000;

/** Wraps a string. Returns null if it is empty. */
export function foreignText(
  text: string | null | undefined,
  { code, fields = [] }: { code: string; fields?: readonly string[] },
): ForeignText | null {
  // Shortened first, because a message may have several megabytes.
  const said = plainLine((text ?? '').slice(0, 4 * MAX_FOREIGN_TEXT)).trim();
  if (said === '') return null;
  const kept = said.length > MAX_FOREIGN_TEXT ? `${cut(said, MAX_FOREIGN_TEXT - 1)}…` : said;
  return { code, fields, reveal: () => kept };
}

/** Shortens a string, but never splits a surrogate pair. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** Used in place of an invalid code. */
const UNKNOWN_CODE = 'UNKNOWN';

/** Returns `UNKNOWN` for anything that does not look like a CRM's code, because it could be a message. */
export function foreignCode(code: string): string {
  return /^[A-Z][A-Z0-9_]{1,79}$/.test(code) ? code : UNKNOWN_CODE;
}

/** Returns the names that can be names of fields, without duplicates. */
export function foreignFields(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => /^[A-Za-z][\w.]{0,99}$/.test(name)))];
}
