/** Splits free text into words and computes the distance between two words. */

/**
 * Matches text that contains only ASCII characters. Most texts contain only ASCII characters, and they can be split
 * much faster.
 */
const ASCII = /^[\0-\x7f]*$/;

/** Returns the words of the text in lower case, excluding accents and punctuation. "O'Brien" is one word. */
export function words(text: string): string[] {
  if (ASCII.test(text)) {
    const plain = /['.]/.test(text) ? text.replaceAll(/['.]/g, '') : text;
    return plain.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  }
  const plain = text
    .normalize('NFD')
    .replaceAll(/[\p{M}'’.]/gu, '')
    .toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Returns true if the two words differ by at most one insertion, deletion, replacement or swap of neighbouring letters.
 */
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

/**
 * Returns true if the words differ by at most two insertions, deletions, replacements or swaps of neighbouring letters.
 */
export function withinTwoEdits(one: string, other: string): boolean {
  if (withinOneEdit(one, other)) return true;
  if (Math.abs(one.length - other.length) > 2) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [mine, theirs] = [one.slice(start), other.slice(start)];
  const repaired: [string, string][] = [
    [mine.slice(1), theirs.slice(1)],
    [mine.slice(1), theirs],
    [mine, theirs.slice(1)],
    ...(areSwapped(mine.slice(0, 2), theirs.slice(0, 2))
      ? [[mine.slice(2), theirs.slice(2)] satisfies [string, string]]
      : []),
  ];
  return repaired.some(([left, right]) => withinOneEdit(left, right));
}

/**
 * Returns a word and all forms that lack one of its letters. Two words that differ by one edit have at least one form
 * in common.
 */
export function withOneDeletion(word: string): string[] {
  return [word, ...Array.from(word, (_, index) => word.slice(0, index) + word.slice(index + 1))];
}

function areSwapped(one: string, other: string): boolean {
  return one[0] === other[1] && one[1] === other[0] && one.slice(2) === other.slice(2);
}
