/** All functions are pure. */

/** The maximum number of words that are compared. Further words do not change the result. */
const MAX_WORDS = 6;

/** A CRM's query language cannot interpret letters and digits. The list is empty if the text contains no word. */
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
