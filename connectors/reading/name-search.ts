/**
 * Searches contacts by name: defines what counts as a word, and which names contain all words. All functions are pure.
 */

/** The number of words that are compared. More words do not change the result. */
const MAX_WORDS = 6;

/**
 * Returns the words of a search. They are sequences of letters and digits, so nothing in them has a meaning in a CRM's
 * query language. Empty if the text contains none.
 */
export function toNameWords(text: string): string[] {
  return splitIntoWords(text).slice(0, MAX_WORDS);
}

/** True if each word is the start of a word in the name, ignoring case and accents. */
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
