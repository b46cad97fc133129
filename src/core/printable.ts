/**
 * What leaves for a terminal, a log, a mail or a page: text in which nothing acts. Names, ids and
 * texts of a CRM may hold characters that move a cursor, fill a clipboard or turn the reading order
 * round, so every output passes one of the functions below.
 */

/**
 * Characters that act, or that stand there unseen:
 * controls (C0 but tab and newline, DEL, C1), the separators of lines and paragraphs, what changes the
 * direction of writing, what joins or parts words without a trace, tags, and halves of surrogates.
 * The joiners U+200C and U+200D stay: names in Persian and in the scripts of India are spelt with
 * them, and emoji are made of them. A terminal does nothing at them.
 */
const ACTING =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}\\p{Cs}';

const ANY_ACTING = new RegExp(`[${ACTING}]`, 'u');
const EACH_ACTING = new RegExp(`[${ACTING}]`, 'gu');

/** What JSON leaves as it is and a terminal does not; lone surrogates are escaped by JSON itself. */
const ACTING_IN_JSON = new RegExp(
  '[\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff' +
    '\\ufff9-\\ufffb]|\\udb40[\\udc00-\\udc7f]',
  'g',
);

/**
 * Whole sequences of a terminal, so that their letters do not stay behind: strings with their end
 * (OSC, DCS, SOS, PM, APC), CSI with its letter, and the short ones. A string without an end loses
 * its beginning only: it must not take what follows with it.
 */
const SEQUENCES = new RegExp(
  [
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0080-\\u009f\\n]*(?:\\u0007|\\u001b\\\\|\\u009c)',
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
    '\\u001b[ -/]*[0-~]',
  ].join('|'),
  'g',
);

/** True if there is something in the text that acts. */
export function isActing(text: string): boolean {
  return ANY_ACTING.test(text);
}

/** True of most texts by far: ASCII on one line, with single blanks between its words and none around it. */
export function isPlainLine(text: string): boolean {
  return PLAIN_LINE.test(text);
}

const PLAIN_LINE = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/;

/** The text without anything that acts; its lines and tabs stay. */
export function plainText(text: string): string {
  if (isPlainLine(text) || !isActing(text)) return text;
  return text
    .replace(SEQUENCES, '')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(EACH_ACTING, '');
}

/** The same on one line: what comes from outside must not be able to add a line of its own. */
export function plainLine(text: string): string {
  if (isPlainLine(text)) return text;
  return plainText(text).replace(/\s+/g, ' ');
}

/** JSON that says the same, and in which nothing acts: such characters are escaped. */
export function plainJson(json: string): string {
  return json.replace(ACTING_IN_JSON, (character) =>
    [...Array(character.length).keys()].map((at) => escaped(character.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** Texts that a spreadsheet would run as a formula when it opens a CSV file. */

/**
 * OWASP's list of first characters: the signs, also in full width, which spreadsheets of East Asia
 * read as the same, and the control characters behind which some of them look for a sign.
 */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/;

/** A text for a cell of a CSV file; what looks like a formula gets an apostrophe in front. */
export function guardFormula(text: string): string {
  return looksLikeFormula(text) || isGuarded(text) ? `'${text}` : text;
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
  return isGuarded(text) ? text.slice(1) : text;
}

/** True of a formula with apostrophes in front, which would lose one of them if it was not guarded itself. */
function isGuarded(text: string): boolean {
  return text.startsWith("'") && looksLikeFormula(text.replace(/^'+/, ''));
}

/** True of a text that a spreadsheet may run; a plain number such as `-5` is none. */
function looksLikeFormula(text: string): boolean {
  return FORMULA_START.test(text) && Number.isNaN(Number(text));
}
