/**
 * Removes dangerous characters from texts of a CRM. Dangerous characters may move a cursor, fill a clipboard or reverse
 * the reading order.
 */

/**
 * The characters to remove: control characters, line and paragraph separators, tags, and surrogate halves. The list
 * also contains characters that change the writing direction, or that invisibly join or separate words. U+200C and
 * U+200D are allowed, because Persian, Indian scripts and emoji need them and terminals ignore them.
 */
const ACTING_UNITS =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb';

/** Searches by code unit, which takes a fifth of the time of a search by character. */
const ANY_ACTING_UNIT = new RegExp(`[${ACTING_UNITS}]`);
const ANY_TAG = /\udb40[\udc00-\udc7f]/;
const EACH_ACTING = new RegExp(`[${ACTING_UNITS}\\u{e0000}-\\u{e007f}\\p{Cs}]`, 'gu');

/** Matches characters that JSON does not escape but that affect terminals. JSON already escapes single surrogates. */
const ACTING_IN_JSON = new RegExp(
  '[\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff' +
    '\\ufff9-\\ufffb]|\\udb40[\\udc00-\\udc7f]',
  'g',
);

/**
 * Matches complete terminal sequences, so that none of their letters remain. If a sequence has no end, only its start
 * is removed, because the following text must remain.
 */
const SEQUENCES = new RegExp(
  [
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0080-\\u009f\\n]*(?:\\u0007|\\u001b\\\\|\\u009c)',
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
    '\\u001b[ -/]*[0-~]',
  ].join('|'),
  'g',
);

/** True if the text contains a dangerous character. */
export function isActing(text: string): boolean {
  return ANY_ACTING_UNIT.test(text) || ANY_TAG.test(text) || !text.isWellFormed();
}

/** True for a single line of ASCII with single spaces between words. Most texts are like this. */
export function isPlainLine(text: string): boolean {
  return PLAIN_LINE.test(text);
}

const PLAIN_LINE = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/;

/** Removes dangerous characters, but keeps line breaks and tabs. */
export function plainText(text: string): string {
  if (isPlainLine(text) || !isActing(text)) return text;
  return text
    .replace(SEQUENCES, '')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(EACH_ACTING, '');
}

/** Returns the text as one line, because text from outside must not add lines. */
export function plainLine(text: string): string {
  if (isPlainLine(text)) return text;
  return plainText(text).replace(/\s+/g, ' ');
}

export function plainJson(json: string): string {
  return json.replace(ACTING_IN_JSON, (character) =>
    [...Array(character.length).keys()].map((at) => escaped(character.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** Protects texts that a spreadsheet would run as formulas. */

/**
 * The first characters of formulas, from OWASP's list. Includes the full-width characters that East Asian spreadsheets
 * accept. Includes control characters, because some spreadsheets check the character after them.
 */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/;

/** Returns a text for a cell of a CSV file. Adds an apostrophe before a text that looks like a formula. */
export function guardFormula(text: string): string {
  return looksLikeFormula(text) || isGuarded(text) ? `'${text}` : text;
}

/**
 * Prepares a text from outside for a CSV cell. Removes dangerous characters. Adds the apostrophe last, because removing
 * a character may result in a formula.
 */
export function plainCell(text: string): string {
  return guardFormula(plainText(text));
}

/** Returns the text that was passed to `guardFormula`. */
export function withoutGuard(text: string): string {
  return isGuarded(text) ? text.slice(1) : text;
}

/**
 * True for a formula that already has an apostrophe. Without a second apostrophe, this formula would lose its own
 * apostrophe.
 */
function isGuarded(text: string): boolean {
  return text.startsWith("'") && looksLikeFormula(text.replace(/^'+/, ''));
}

/** True for a text that a spreadsheet may run. False for a plain number such as `-5`, which is safe. */
function looksLikeFormula(text: string): boolean {
  return FORMULA_START.test(text) && Number.isNaN(Number(text));
}
