/** Texts that a spreadsheet would run as a formula when it opens a CSV file. */
import { plainText } from './printable.ts';

/**
 * OWASP's list of first characters: the signs, also in full width, which spreadsheets of East Asia
 * read as the same, and the control characters behind which some of them look for a sign.
 */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/;

/** A text for a cell of a CSV file; what looks like a formula gets an apostrophe in front. */
export function guardFormula(text: string): string {
  return looksLikeFormula(text) ? `'${text}` : text;
}

/**
 * A text from outside for a cell of a CSV file that we write: nothing in it acts. The guard comes last,
 * since a sign may stand behind a character that is taken out.
 */
export function plainCell(text: string): string {
  return guardFormula(plainText(text));
}

/** The text that `guardFormula` was given. */
export function withoutGuard(text: string): string {
  return text.startsWith("'") && looksLikeFormula(text.slice(1)) ? text.slice(1) : text;
}

/** True of a text that a spreadsheet may run; a plain number such as `-5` is none. */
function looksLikeFormula(text: string): boolean {
  return FORMULA_START.test(text) && Number.isNaN(Number(text));
}
