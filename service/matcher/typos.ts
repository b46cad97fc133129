/** Computes the probability that a typing error or a scan changes one given name into another. */

import { scanKey } from './latin.ts';

/**
 * The share of first names that differ by a typing error between two lists of the same people. In `weights.ts`, this
 * share is the m of a typing error.
 */
const TYPOS = 0.07;

/**
 * The share of each kind of single error. The source is Pollock and Zamora, "Automatic spelling correction in
 * scientific and scholarly text" (1984). Half of all added letters repeat the previous letter. 58 % of all replaced
 * letters are next to the right letter on the keyboard (Grudin, 1983).
 */
const MISSING = 0.34;
const DOUBLED = 0.13;
const ADDED = 0.13;
const REPLACED = { neighbour: 0.19 * 0.58, other: 0.19 * 0.42 };
const SWAPPED = 0.13;
/** How frequent an error in the first letter is, relative to an error in any other letter. */
const AT_THE_START = 0.4;

const LETTERS = 26;
/** The usual number of keys next to a key. */
const NEIGHBOURS = 4;
const VOWELS = [...'aeiouy'];
const KEYBOARD = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** The probability that a scan confuses two similar letters. */
const BY_A_SCAN = 0.003;
/** The probability that a name contains one specific pair of errors. */
const TWO_ERRORS = 1e-7;

/** Returns the probability that one or two errors change the first name into the second name. */
export function chanceOfSlip(meant: string, written: string): number {
  const byScan = scanKey(meant) === scanKey(written) ? BY_A_SCAN : 0;
  return Math.max(byScan, chanceOfTypo(meant, written) ?? TWO_ERRORS);
}

/**
 * Returns true if the first letters of two names are far apart on the keyboard, as in Carrie and Barrie. Nobody hits
 * such a distant key by accident, but many names rhyme.
 */
export function isOtherStart(one: string, other: string): boolean {
  const [mine = '', theirs = ''] = [one[0], other[0]];
  const isReplaced = mine !== theirs && one.slice(1) === other.slice(1);
  return isReplaced && !areNeighbours(mine, theirs) && scanKey(mine) !== scanKey(theirs);
}

/**
 * Returns the probability that a typing error changes the first name into the second name. Returns undefined if the
 * names differ by more than one error.
 */
function chanceOfTypo(meant: string, written: string): number | undefined {
  let at = 0;
  while (at < meant.length && meant[at] === written[at]) at += 1;
  const [left, right] = [meant.slice(at), written.slice(at)];
  const places = meant.length;
  const weight = (at === 0 ? AT_THE_START : 1) * TYPOS;
  if (left.slice(1) === right) return (weight * MISSING) / places;
  if (left === right.slice(1)) {
    const isDoubled = at > 0 && right[0] === written[at - 1];
    return (weight * (isDoubled ? DOUBLED : ADDED / LETTERS)) / places;
  }
  if (left.slice(1) === right.slice(1)) {
    const share = areNeighbours(left[0] ?? '', right[0] ?? '')
      ? REPLACED.neighbour / NEIGHBOURS
      : REPLACED.other / LETTERS;
    return (weight * share) / places;
  }
  const isSwapped =
    left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return isSwapped ? (weight * SWAPPED) / Math.max(1, places - 1) : undefined;
}

/**
 * Returns true if two letters are next to each other on the keyboard, in the same row or in adjacent rows. Also returns
 * true for two vowels, because their similar sound leads to errors.
 */
function areNeighbours(one: string, other: string): boolean {
  if (VOWELS.includes(one) && VOWELS.includes(other)) return true;
  const [mine, theirs] = [placeOf(one), placeOf(other)];
  if (mine === undefined || theirs === undefined) return false;
  return Math.abs(mine.row - theirs.row) <= 1 && Math.abs(mine.at - theirs.at) <= 1;
}

/** Returns a letter's place on the keyboard, where each row is shifted by about half a key. */
function placeOf(letter: string): { row: number; at: number } | undefined {
  const row = KEYBOARD.findIndex((keys) => letter !== '' && keys.includes(letter));
  return row < 0 ? undefined : { row, at: (KEYBOARD[row] ?? '').indexOf(letter) + row / 2 };
}
