/**
 * Recognises passwords that consist of one or two dictionary words. Also recognises passwords that are a phrase of
 * frequent words without spaces.
 */
import { z } from 'zod';
import { listPackageFolder, readPackageFile } from '../../core/package-files.ts';

/**
 * The languages of donor-sync's users. The list of each language starts with frequent words and also contains names.
 */
const LANGUAGES = ['en', 'de', 'fr', 'es-es', 'it', 'pt-br', 'nl-be', 'pl'];

/** Words that rarely occur in print. Lists of frequent words therefore do not contain them. */
const RARE = ['an-array-of-english-words', 'index.json'] as const;
const RANK_OF_RARE = 100_000;
const LEAST_RARE_LENGTH = 4;

/**
 * The number of common passwords that count as words. The most common passwords are words, nicknames or short phrases.
 */
const MOST_PASSWORDS = 200_000;
const LEAST_PASSWORD_LENGTH = 3;

/** Refuses a password that consists of at most this many words, even if the words are rare. */
const TOO_FEW = 2;
/**
 * The minimum number of guesses for a password with more than two words, as a power of ten. The guesses for a word are
 * its rank in its list, multiplied by ten for the choice of the list.
 */
const LEAST_GUESSES_LOG10 = 12;
const LOG10_FOR_LIST = 1;

const LONGEST_WORD = 32;

/** A passphrase with this many words from the dice list is accepted, even if its letters also spell other words. */
const WORDS_BY_DICE = 4;
/** The minimum number of words in a passphrase with symbols between the words. */
const WORDS_APART = 3;
const LEAST_APART_LENGTH = 3;

const wordsSchema = z.array(z.string());

function readWords(name: string, file: string): string[] {
  return wordsSchema.parse(JSON.parse(readPackageFile(name, file).toString('utf8')));
}

/** The verdict on a password: words that were chosen at random, too few words, or neither. */
export type WordsVerdict = 'by chance' | 'few' | 'other';

export type JudgeWords = (password: string) => WordsVerdict;

/**
 * Reads the dictionaries. `passwords` contains the common passwords, most common first. `dice` contains the
 * words from which passphrases are drawn.
 */
export function loadWords(passwords: Iterable<string>, dice: readonly string[]): JudgeWords {
  const ranks = new Map<string, number>();
  const add = (word: string, rank: number) => {
    const known = ranks.get(word);
    if (known === undefined || known > rank) ranks.set(word, rank);
  };
  for (const language of LANGUAGES) {
    const name = `@zxcvbn-ts/language-${language}`;
    for (const file of listPackageFolder(name, 'src')) {
      // Sequences are phrases of several words. The other lists contain the words of these phrases.
      if (!file.endsWith('.json') || file.startsWith('wordSequences')) continue;
      const words = readWords(name, `src/${file}`);
      words.forEach((word, index) => {
        add(toLetters(word), index + 1);
      });
    }
  }
  let rank = 0;
  for (const password of passwords) {
    rank += 1;
    if (rank > MOST_PASSWORDS) break;
    if (password.length >= LEAST_PASSWORD_LENGTH && PLAIN.test(password)) add(password, rank);
  }
  for (const word of readWords(...RARE)) {
    if (word.length >= LEAST_RARE_LENGTH) add(word, RANK_OF_RARE);
  }
  const diced = new Set(dice);
  return (password) => {
    const small = password.toLowerCase();
    const forms = new Set([small, withoutLeet(small)].map(withoutEnds));
    const apart = new Set(small.split(/\P{L}+/u).filter((w) => w.length >= LEAST_APART_LENGTH));
    if ([...apart].filter((word) => diced.has(word)).length >= WORDS_BY_DICE) return 'by chance';
    if (isWritten(toLetters(small), WORDS_BY_DICE, diced)) return 'by chance';
    const mostWords = apart.size >= WORDS_APART ? 0 : TOO_FEW;
    const leastGuesses = apart.size >= WORDS_APART ? 0 : LEAST_GUESSES_LOG10;
    // A password of random characters has digits and symbols everywhere, even within words.
    if (countBreaks(withoutEnds(small)) > Math.max(MOST_BREAKS, apart.size)) return 'other';
    const isFew = [...forms].some((form) => {
      const letters = toLetters(form);
      // If most characters are digits and symbols, the estimate of guesses is more reliable than the search for words.
      if (letters.length * 2 < password.length || SIGNS_WITHIN.test(form)) return false;
      const { words, guessesLog10 } = fewestWords(letters, ranks);
      return words <= mostWords || guessesLog10 < leastGuesses;
    });
    return isFew ? 'few' : 'other';
  };
}

/**
 * Returns the smallest number of known words that spell these letters, and the number of guesses that find them. Both
 * numbers are infinite if known words cannot spell the letters.
 */
function fewestWords(letters: string, ranks: ReadonlyMap<string, number>) {
  const none = { words: Number.POSITIVE_INFINITY, guessesLog10: Number.POSITIVE_INFINITY };
  const best = Array.from({ length: letters.length + 1 }, () => ({ ...none }));
  best[0] = { words: 0, guessesLog10: 0 };
  for (let end = 1; end <= letters.length; end += 1) {
    const here = best[end] ?? none;
    for (let start = Math.max(0, end - LONGEST_WORD); start < end; start += 1) {
      const before = best[start] ?? none;
      if (before.words === Number.POSITIVE_INFINITY) continue;
      const rank = ranks.get(letters.slice(start, end));
      if (rank === undefined) continue;
      const guesses = before.guessesLog10 + LOG10_FOR_LIST + Math.log10(rank);
      here.words = Math.min(here.words, before.words + 1);
      here.guessesLog10 = Math.min(here.guessesLog10, guesses);
    }
  }
  return best[letters.length] ?? none;
}

/** True if the letters spell a series of at least this many different words from the list. */
function isWritten(letters: string, least: number, words: ReadonlySet<string>): boolean {
  // The words that end before a position, for each position in the letters. If there are several splits, the split with
  // the most different words is used.
  const most: (ReadonlySet<string> | undefined)[] = [new Set()];
  for (let end = 1; end <= letters.length; end += 1) {
    for (let start = Math.max(0, end - LONGEST_WORD); start < end; start += 1) {
      const before = most[start];
      const word = letters.slice(start, end);
      if (before === undefined || !words.has(word)) continue;
      if (before.size + 1 > (most[end]?.size ?? 0)) most[end] = new Set([...before, word]);
    }
  }
  return (most[letters.length]?.size ?? 0) >= least;
}

/** Attackers do not try words with several symbols in a row between them early. */
const SIGNS_WITHIN = /[^\p{L}\p{N}]{2}/u;

/** The maximum number of places at which digits or symbols interrupt the letters. */
const MOST_BREAKS = 3;

function countBreaks(text: string): number {
  return text.split(/\P{L}+/u).length - 1;
}

const PLAIN = /^[a-z]+$/;

/** Returns only the letters, without accents. */
function toLetters(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

const LETTERS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

export function withoutLeet(text: string): string {
  return [...text].map((character) => LETTERS[character] ?? character).join('');
}

/** Returns the text without digits and signs before and after the letters. */
export function withoutEnds(text: string): string {
  const characters = [...text];
  const isLetter = (character: string) => /\p{L}/u.test(character);
  const start = characters.findIndex(isLetter);
  const end = characters.findLastIndex(isLetter);
  return start === -1 ? text : characters.slice(start, end + 1).join('');
}
