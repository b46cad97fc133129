/** Words of free text, and how far two of them lie apart. */

/** The words of a text in lower case, without accents and punctuation; "O'Brien" is one word. */
export function words(text: string): string[] {
  const plain = text
    .normalize('NFD')
    .replaceAll(/[\p{M}'’.]/gu, '')
    .toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether one insertion, deletion, replacement or swap of neighbours (or nothing) parts two words. */
export function withinOneEdit(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) {
    return false;
  }
  let start = 0;
  while (start < short.length && short[start] === long[start]) {
    start += 1;
  }
  const restOfShort = short.slice(start);
  const restOfLong = long.slice(start);
  return short.length < long.length
    ? restOfShort === restOfLong.slice(1)
    : restOfShort.slice(1) === restOfLong.slice(1) || areSwapped(restOfShort, restOfLong);
}

/** A word and all words that lack one of its letters: two words within one edit share one of these. */
export function withOneDeletion(word: string): string[] {
  return [word, ...Array.from(word, (_, index) => word.slice(0, index) + word.slice(index + 1))];
}

function areSwapped(one: string, other: string): boolean {
  return one[0] === other[1] && one[1] === other[0] && one.slice(2) === other.slice(2);
}
