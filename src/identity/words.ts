/** Splits a text into words in lower case, without accents and punctuation. */

/**
 * Separates two parts of an address or a name. This character replaces a comma, a semicolon, a vertical bar or a line
 * break.
 */
export const PART_END = ',';

/** The sign before the number of an apartment. */
export const NUMBER_SIGN = '#';

/**
 * Splits a text into words. Drops apostrophes (O'Brien) and the full stops of abbreviations (U.S.A.). Hyphens and other
 * punctuation separate words. However, 4-B becomes 4b, and 12-14 is not split. `&` becomes `and`. `PART_END` and
 * `NUMBER_SIGN` are separate words.
 */
export function splitWords(text: string): string[] {
  const plain = plainText(text);
  const words: string[] = [];
  /** The first part of the current word, if a punctuation mark was dropped after it. */
  let word = '';
  let start = 0;
  for (let at = 0; at <= plain.length; at++) {
    const kind = kindAt(plain, at);
    if (kind === LETTER || kind === DIGIT) continue;
    const joins = joinAt(plain, kind, start, at);
    if (joins !== null) {
      word += plain.slice(start, at) + joins;
      start = at + 1;
      continue;
    }
    if (at > start || word !== '') words.push(word + plain.slice(start, at));
    word = '';
    start = at + 1;
    if (kind === PART) words.push(PART_END);
    else if (kind === NUMBER) words.push(NUMBER_SIGN);
    else if (kind === AND) words.push('and');
  }
  return words;
}

export function hasDigit(word: string): boolean {
  return isDigit(word, 0) || isDigit(word, word.length - 1);
}

/** True if a word consists only of digits. */
export function isNumber(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (!isDigit(word, at)) return false;
  return word !== '';
}

/**
 * Returns the canonical text. If it contains no words, returns the plain text, so that different texts never become
 * equal.
 */
export function orPlainText(canonical: string, text: string): string {
  return canonical === '' ? plainText(text).trim() : canonical;
}

const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const PART = 3;
const STOP = 4;
const APOSTROPHE = 5;
const HYPHEN = 6;
const NUMBER = 7;
const AND = 8;

/** The kind of each ASCII character. All characters of `plainText` that are not ASCII are letters. */
const KINDS = new Uint8Array(128);
for (const [kind, signs] of [
  [LETTER, 'abcdefghijklmnopqrstuvwxyz'],
  [DIGIT, '0123456789'],
  [PART, ',;|\n\r'],
  [STOP, '.'],
  [APOSTROPHE, "'`"],
  [HYPHEN, '-'],
  [NUMBER, '#'],
  [AND, '&'],
] as const) {
  for (const sign of signs) KINDS[sign.charCodeAt(0)] = kind;
}

/** Returns the kind of the character at this position. Positions outside the text belong to no word. */
function kindAt(text: string, at: number): number {
  if (at < 0 || at >= text.length) return OTHER;
  const code = text.charCodeAt(at);
  return code < KINDS.length ? (KINDS[code] ?? OTHER) : LETTER;
}

function isWordAt(text: string, at: number): boolean {
  const kind = kindAt(text, at);
  return kind === LETTER || kind === DIGIT;
}

function isDigit(text: string, at: number): boolean {
  return kindAt(text, at) === DIGIT;
}

/** Returns the text that joins two parts of a word. Returns null if the punctuation mark separates two words. */
function joinAt(text: string, kind: number, start: number, at: number): '' | '-' | null {
  if (kind === APOSTROPHE) return '';
  if (kind === STOP) return isAbbreviation(text, start, at) ? '' : null;
  if (kind !== HYPHEN || at === start || !isWordAt(text, at + 1)) return null;
  const isDigitBefore = isDigit(text, at - 1);
  const isDigitAfter = isDigit(text, at + 1);
  if (isDigitBefore && isDigitAfter) return '-';
  if (isDigitBefore) return isWordAt(text, at + 2) ? null : '';
  return isDigitAfter && at - start === 1 ? '' : null;
}

/**
 * True for a full stop within an abbreviation. An abbreviation's full stop has one letter after it and at most two
 * letters before it. Examples are U.S.A. and Ph.D., but not St.Louis, No.5 or Apt.B.
 */
function isAbbreviation(text: string, start: number, at: number): boolean {
  const length = at - start;
  const isLetterAlone = kindAt(text, at + 1) === LETTER && !isWordAt(text, at + 2);
  return isLetterAlone && (length === 1 || length === 2) && !isDigit(text, at - 1);
}

/**
 * Letters that Unicode does not decompose. This list is separate from the name guard's list, because it must not
 * change.
 */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  þ: 'th',
  ς: 'σ',
};

/** Returns the text with plain letters. Punctuation that is not ASCII becomes its ASCII equivalent. */
function plainText(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text.toLowerCase();
  return (
    text
      .replace(/[‘’ʼʹ′´]/g, "'")
      // Without this space, 12½ would become 121/2.
      .replace(/[¼-¾⅐-⅞]/g, ' $&')
      .normalize('NFKD')
      // Removes only accents. Vowel signs of other scripts are also combining marks, but they distinguish names.
      .replace(/[\u0300-\u036f]+/g, '')
      .toLowerCase()
      .replace(/[^\0-\x7f]/gu, plainLetter)
  );
}

function plainLetter(letter: string): string {
  const plain = LETTERS[letter];
  if (plain !== undefined) return plain;
  if (/\p{Pd}/u.test(letter)) return '-';
  if (/[、，]/u.test(letter)) return ',';
  // Drops zero-width characters. All signs except zero-width characters separate words.
  if (/\p{Cf}/u.test(letter)) return '';
  return /[\p{P}\p{S}\p{Z}\p{C}]/u.test(letter) ? ' ' : letter;
}
