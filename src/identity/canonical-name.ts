/** Converts names to a canonical spelling, so that donor-sync notices only real changes. */
import { NUMBER_SIGN, orPlainText, PART_END, splitWords } from './words.ts';

/**
 * Returns the same text for all spellings of a first or last name. Examples are O'Brien, O’Brien and OBrien; J. R. and
 * JR; Smith-Jones and Smith Jones; Jr and Junior. Nicknames, other names and additional initials result in a different
 * text. Jr, Sr and II are also different.
 */
export function canonicalName(text: string): string {
  const name: string[] = [];
  let isInitials = false;
  for (const plain of splitWords(text)) {
    if (plain === PART_END || plain === NUMBER_SIGN) continue;
    const word = GENERATIONS.get(plain) ?? plain;
    const isLetter = word.length === 1;
    const before = name.at(-1);
    if (before !== undefined && isInitials && (isLetter || before === 'o')) {
      name[name.length - 1] = before + word;
    } else {
      name.push(word);
    }
    isInitials = isLetter;
  }
  return orPlainText(name.join(' '), text);
}

const GENERATIONS: ReadonlyMap<string, string> = new Map([
  ['junior', 'jr'],
  ['senior', 'sr'],
]);

/**
 * Returns the same text for all spellings of an employer. Ignores `&`, "The" and legal forms, because address tools
 * add, drop and shorten legal forms. Therefore, Acme Inc. and Acme LLC are the same employer.
 */
export function canonicalEmployer(text: string): string {
  const words = splitWords(text)
    .filter((word) => word !== PART_END && word !== NUMBER_SIGN)
    .map((word) => EMPLOYER_WORDS.get(word) ?? word);
  const start = words.length > 1 && words[0] === 'the' ? 1 : 0;
  let end = words.length;
  while (end > start + 1 && ENDINGS.has(words[end - 1] ?? '')) end -= 1;
  return orPlainText(words.slice(start, end).join(' '), text);
}

const EMPLOYER_WORDS: ReadonlyMap<string, string> = new Map([
  ['co', 'company'],
  ['corp', 'corporation'],
  ['inc', 'incorporated'],
  ['ltd', 'limited'],
  ['saint', 'st'],
]);

/** Legal forms, and words that remain of them, as in "Smith & Co." */
const ENDINGS: ReadonlySet<string> = new Set(
  `the and company corporation incorporated limited llc lllp llp lp plc pllc pc na
   ag kg kgaa ohg gmbh ggmbh mbh se sa sas sarl sl srl spa nv bv ab as asa oy oyj aps pty pte pvt`.split(
    /\s+/,
  ),
);
