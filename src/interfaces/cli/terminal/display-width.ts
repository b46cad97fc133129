import { stripVTControlCharacters } from 'node:util';

/** Created on first use, because creating it takes 12 ms and most output is ASCII. */
let segmenter: Intl.Segmenter | undefined;

function splitGraphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Matches characters that take two columns. Most emoji also take two columns. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u{3000}-\u{303e}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}]|\p{Emoji_Presentation}|\u{fe0f}/u;

/** Matches marks and joiners that take no column. */
const WITHOUT_WIDTH = /^[\p{Mark}\p{Format}\p{Control}]+$/u;

const ONLY_ASCII = /^[\x20-\x7e]*$/;

const ELLIPSIS = '…';

/** Returns the number of terminal columns of the text. Colour codes take no columns. */
export function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (ONLY_ASCII.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of splitGraphemes(plain)) width += graphemeWidth(segment);
  return width;
}

/** Shortens the text to at most `width` columns. `…` replaces the rest. */
export function fitWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let left = width - displayWidth(ELLIPSIS);
  for (const { segment } of splitGraphemes(text)) {
    left -= graphemeWidth(segment);
    if (left < 0) break;
    kept += segment;
  }
  return width < 1 ? '' : `${kept}${ELLIPSIS}`;
}

/** Splits a text into lines, at spaces if possible. */
export function wrapWidth(text: string, width: number): string[] {
  if (displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => pieces(each, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (displayWidth(longer) <= width) {
      line = longer;
    } else {
      if (line !== '') lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** Splits a word that is longer than a line, such as an ID or an address. */
function pieces(word: string, width: number): string[] {
  const parts: string[] = [];
  let part = '';
  for (const { segment } of splitGraphemes(word)) {
    if (part !== '' && displayWidth(part + segment) > width) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  return [...parts, part];
}

/** Returns the text padded with spaces to `width` columns. */
export function padWidth(text: string, width: number, align: 'left' | 'right'): string {
  const padding = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + padding : padding + text;
}

function graphemeWidth(grapheme: string): number {
  if (WITHOUT_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

export function hangLines(text: string, column: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(column)}`);
}
