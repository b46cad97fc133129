/**
 * Text from outside: what a CRM, a service or a sign-in server says in an error. A rule of an org may
 * quote names, figures and notes in it, so it is a type of its own that no message, log or document
 * can take in by accident: as JSON it is its code and its fields. The text itself comes out of
 * `reveal` alone, to be sealed or to be shown to a person who decides.
 */
import { plainLine } from './printable.ts';

export interface ForeignText {
  /** The sender's own word, for example `FIELD_CUSTOM_VALIDATION_EXCEPTION`. */
  readonly code: string;
  /** Names of fields that it is about. */
  readonly fields: readonly string[];
  /** What was said: one line, at most `MAX_FOREIGN_TEXT` characters, nothing in it that acts. */
  reveal(): string;
}

/** Characters that are kept of one text. */
export const MAX_FOREIGN_TEXT = 500;

/** How long a text is kept (ms). */
export const FOREIGN_TEXT_LIFE_MS = 30 * 86_400_000;

/** Wraps a text; null if there is nothing in it. */
export function foreignText(
  text: string | null | undefined,
  { code, fields = [] }: { code: string; fields?: readonly string[] },
): ForeignText | null {
  // Cut first: a text of megabytes need not be read to its end.
  const said = plainLine((text ?? '').slice(0, 4 * MAX_FOREIGN_TEXT)).trim();
  if (said === '') return null;
  const kept = said.length > MAX_FOREIGN_TEXT ? `${cut(said, MAX_FOREIGN_TEXT - 1)}…` : said;
  return { code, fields, reveal: () => kept };
}

/** Never between the halves of a surrogate pair. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** Stands for a code that is none. */
export const UNKNOWN_CODE = 'UNKNOWN';

/** A code as CRMs write them (`STRING_TOO_LONG`), or `UNKNOWN`: anything else may be a text. */
export function foreignCode(code: string): string {
  return /^[A-Z][A-Z0-9_]{1,79}$/.test(code) ? code : UNKNOWN_CODE;
}

/** Of these names of fields those that can be some, each once. */
export function foreignFields(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => /^[A-Za-z][\w.]{0,99}$/.test(name)))];
}
