/** A last name in the forms that are compared. All words of the name are in lower case and without accents. */
export interface LastName {
  /** All words joined, without suffixes, such as `vandyke` for `Van Dyke, Jr.`. */
  whole: string;
  /** The words that distinguish families, without particles, such as `garcia` and `lopez`. */
  parts: readonly string[];
  /** The generation: 1 for Sr., 2 for Jr. or II, and so on. Null if the name has no such suffix. */
  generation: number | null;
}

/** Returns the forms of a last name. `parts` is empty for a name without letters. */
export function parseLastName(text: string): LastName {
  const joined = MAY_HOLD_PREFIX.test(text)
    ? text.replace(PREFIX, (_, prefix: string) => (/^s/i.test(prefix) ? 'st' : prefix))
    : text;
  const all = splitWords(joined);
  const words = withoutTail(all, (word) => SUFFIXES.has(word));
  const parts = words.filter((word) => !PARTICLES.has(word));
  return {
    whole: words.join(''),
    parts: parts.length === 0 ? words : parts,
    generation: getGeneration(joined === text ? all : splitWords(text)),
  };
}

/**
 * Returns the possible readings of a first-name field, each as a list of names. `Robert (Bob)` and `Robert / Bob` can
 * mean either name. Drops titles before a name and suffixes after it.
 */
export function parseGivenNames(text: string): string[][] {
  if (!MAY_HOLD_ASIDE.test(text)) return text.split('/').map(givenWords).filter(isSome);
  const asides = [...text.matchAll(ASIDE)].map((match) => match.slice(1).join(''));
  const readings = [...text.replace(ASIDE, ' ').split('/'), ...asides];
  return readings.map(givenWords).filter(isSome);
}

function isSome(words: readonly string[]): boolean {
  return words.length > 0;
}

/**
 * Returns the words of a name in lower case, without Latin accents and apostrophes. Every other punctuation mark
 * separates words. Square brackets are removed without a gap, because archives complete an initial as in `C[harles]`.
 */
function splitWords(text: string): string[] {
  // Most names are plain ASCII. For ASCII names, this shorter way gives the same result many times faster.
  if (!/[^\0-\x7f]/.test(text)) {
    return text
      .replace(/['`[\]]/g, '')
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter(Boolean);
  }
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’‘`´ʼ[\]]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => PLAIN_LETTERS.get(letter) ?? letter)
    .split(/[^\p{L}\p{M}]+/u)
    .filter(Boolean);
}

function givenWords(text: string): string[] {
  const words = withoutTail(splitWords(text), (word) => GENERATIONS.has(word));
  const start = words.findIndex((word) => !TITLES.has(word));
  return start === -1 ? words : words.slice(start);
}

/** Removes the words at the end that pass the test. Always keeps the first word. */
function withoutTail(words: readonly string[], isTail: (word: string) => boolean): string[] {
  const last = words.findLastIndex((word, index) => index === 0 || !isTail(word));
  return words.slice(0, last + 1);
}

function getGeneration([, ...words]: readonly string[]): number | null {
  return words.map((word) => GENERATIONS.get(word)).find((found) => found !== undefined) ?? null;
}

/** A prefix that forms one word with the next word. `St. John` is not `John`, and `McDonald` is not `Donald`. */
const PREFIX = /(?<!\p{L})(saint|sainte|ste?|mc|mac|o)[.\s-]+(?=\p{L})/giu;

/** The characters between a prefix and the next word. */
const MAY_HOLD_PREFIX = /[.\s-]/;

/** A nickname in brackets or in quotes. */
const ASIDE = /\(([^()]*)\)|["“”]([^"“”]*)["“”]|(?<=\s)['‘]([^'‘’]*)['’](?=\s|$)/g;

/** Matches the start of a nickname in brackets or quotes. */
const MAY_HOLD_ASIDE = /[("“”'‘]/;

/** Letters that do not decompose into a plain letter and an accent. */
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ı', 'i'],
]);

const GENERATIONS: ReadonlyMap<string, number> = new Map([
  ['sr', 1],
  ['senior', 1],
  ['jr', 2],
  ['junior', 2],
  ['ii', 2],
  ['iii', 3],
  ['iv', 4],
]);

const SUFFIXES = new Set([
  ...GENERATIONS.keys(),
  ...'v md phd esq dds dvm cpa rn jd mba'.split(' '),
]);

const TITLES = new Set(
  'mr mrs ms miss mx dr prof professor rev reverend fr father sister rabbi hon judge sir dame sen rep gov col capt gen lt maj sgt'.split(
    ' ',
  ),
);

const PARTICLES = new Set(
  'al bin da das de del dela den der des di do dos du e el ibn la las le los te ten ter van vander von y zu'.split(
    ' ',
  ),
);
