/** Compares the words in the names of organisations, in cities and in titles. */

import { words } from '../matcher/words.ts';

/** Words that occur in many names. People leave out these words, or they add them to names that do not contain them. */
const LITTLE_WORDS = new Set(
  'the of and at for a an in company firm corporation inc corp co llc organization'.split(' '),
);

/**
 * Returns a function that tests whether a name contains all words of the wanted name. The function caches its results,
 * because the same names are tested many times.
 */
export function createTextTest(wanted: string): (text: string) => boolean {
  const needed = tellingWords(wanted);
  const known = new Map<string, boolean>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) {
      return before;
    }
    const present = new Set(comparableWords(text));
    const fits = needed.every((word) => present.has(word));
    known.set(text, fits);
    return fits;
  };
}

/**
 * Returns the longest important word. If the plural is spelled differently, returns the common beginning ("charit" for
 * "charity"). Every name that matches contains this text. Returns an empty string if the name has no important word.
 */
export function longestStem(wanted: string): string {
  return tellingWords(wanted)
    .map((word) => word.replace(/y$/, ''))
    .reduce((longest, stem) => (stem.length > longest.length ? stem : longest), '');
}

/** Returns the important words. For example, "the Food Banks of Troy" becomes food, bank, troy. */
function tellingWords(text: string): string[] {
  const all = comparableWords(text);
  const telling = all.filter((word) => !LITTLE_WORDS.has(word));
  return telling.length > 0 ? telling : all;
}

function comparableWords(text: string): string[] {
  return words(text).map(singularOf);
}

function singularOf(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) {
    return `${word.slice(0, -3)}y`;
  }
  if (/(?:ch|sh|ss|x)es$/.test(word)) {
    return word.slice(0, -2);
  }
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
