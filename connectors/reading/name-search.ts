/** Compares names with the words of a search. */

/** The maximum number of words to compare. The search ignores words beyond this number. */
const MAX_WORDS = 6;

/**
 * Returns the words of a search. The words contain only letters and digits, which have no special meaning in a CRM's
 * query language. The list of words is empty if the text contains none.
 */
export function toNameWords(text: string): string[] {
  return splitIntoWords(text).slice(0, MAX_WORDS);
}

/** Returns true if each word is the start of a word in the name. The comparison ignores letter case and accents. */
export function isNamed(
  words: readonly string[],
  { firstName, lastName }: { firstName: string | null; lastName: string | null },
): boolean {
  const own = splitIntoWords(`${firstName ?? ''} ${lastName ?? ''}`).map(fold);
  return words.length > 0 && words.every((word) => own.some((each) => each.startsWith(fold(word))));
}

function splitIntoWords(text: string): string[] {
  return text.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function fold(word: string): string {
  return word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
