/** The spellings of the words in addresses, indexed for fast searches. */
import {
  COUNTRY_TITLES,
  type Country,
  PROVINCES,
  parseSpellings,
  readCountries,
  STATES,
} from './places.ts';
import { DESIGNATORS, DIRECTIONS, NUMBERS, STREET_TYPES } from './street-words.ts';
import { PART_END, splitWords } from './words.ts';

/** The canonical forms of words in an address. */
export interface Spellings {
  /** Single words, such as street → st and illinois → il. */
  words: ReadonlyMap<string, string>;
  /** Phrases by their first word, longest phrase first. Words have the form that `splitWords` returns. */
  phrases: ReadonlyMap<string, readonly Phrase[]>;
  /**
   * The meaning of a part of an address that consists only of this word, such as fr → FR. Empty if the word has no
   * meaning as a whole part.
   */
  parts: ReadonlyMap<string, string>;
  /** Codes of American states. */
  states: ReadonlySet<string>;
}

/** Words that form a phrase with its own meaning. Each word of a phrase has the form that `splitWords` returns. */
export interface Phrase {
  words: readonly string[];
  canonical: string;
}

/** The maximum number of words in a country's name. */
export const MAX_PART_WORDS = 10;

let spellings: Spellings | undefined;

/**
 * Returns the spellings. The spellings are created on first use, because there are thousands of them and only syncs
 * need them.
 */
export function knownSpellings(): Spellings {
  spellings ??= createSpellings();
  return spellings;
}

function createSpellings(): Spellings {
  const states = parseSpellings(STATES);
  const regions = [...states, ...parseSpellings(PROVINCES)];
  const countries = withCanonicals(readCountries(), new Set(regions.map(([code]) => code)));
  const known = [
    ...[DIRECTIONS, STREET_TYPES, DESIGNATORS, NUMBERS].flatMap(parseSpellings),
    ...twoDigitOrdinals(),
    ...regions,
    ...countries.map(({ canonical, english }): [string, string[]] => [canonical, [...english]]),
  ];
  // Country codes are not words. For example, "it" means Italy only if no other word is in the same part.
  const words = new Map(
    known.flatMap(([canonical]) => (isLower(canonical) ? [[canonical, canonical]] : [])),
  );
  const several: Phrase[] = [];
  for (const [canonical, texts] of known) {
    for (const text of texts) {
      const [first = '', ...more] = partWords(text);
      if (more.length > 0) several.push({ words: [first, ...more], canonical });
      else if (!words.has(first)) words.set(first, canonical);
    }
  }
  return {
    words,
    phrases: byFirstWord(several.map((phrase) => foldPhrase(phrase, words))),
    parts: wholeParts(countries, words),
    states: new Set(states.map(([code]) => code)),
  };
}

/**
 * The code that is used for Georgia, because Georgia is a state and a country. An address does not show which of the
 * two it means.
 */
const GEORGIA = 'GE';

/** The codes of Sweden and the Philippines. These codes are also abbreviations for "southeast" and "penthouse". */
const WORDS_ALONE: ReadonlySet<string> = new Set(['se', 'ph']);

type CanonicalCountry = Country & { canonical: string };

/**
 * Adds the canonical codes. DE means Delaware and Germany, and CA means California and Canada. An address does not show
 * which of the two it means. A street can be in only one of them, so both share one form. Other countries have a code
 * in capital letters, which no other place has.
 */
function withCanonicals(
  countries: readonly Country[],
  regions: ReadonlySet<string>,
): CanonicalCountry[] {
  return countries.map((country) => {
    const code = country.code.toLowerCase();
    const isShared = regions.has(code) || WORDS_ALONE.has(code);
    const canonical = isShared ? code : country.code;
    return { ...country, canonical: country.code === GEORGIA ? 'ga' : canonical };
  });
}

/**
 * Returns the meanings of whole parts. Leaves out names that are also words of addresses. For example, the German name
 * of Iceland is Island.
 */
function wholeParts(
  countries: readonly CanonicalCountry[],
  words: Spellings['words'],
): Map<string, string> {
  const parts = new Map(COUNTRY_TITLES.map((title) => [title, '']));
  for (const { canonical, code, longCode, foreign } of countries) {
    // A shared code means the state and is already in canonical form.
    const hasOwnCode = canonical !== code.toLowerCase();
    const codes = [...(hasOwnCode ? [code] : []), longCode].map((text) => text.toLowerCase());
    const names = foreign.map((text) => partWords(text).join(' '));
    for (const part of [...codes, ...names.filter((name) => !words.has(name))]) {
      if (!parts.has(part)) parts.set(part, canonical);
    }
  }
  return parts;
}

function isLower(text: string): boolean {
  return text === text.toLowerCase();
}

function partWords(text: string): string[] {
  return splitWords(text).filter((word) => word !== PART_END);
}

function foldPhrase({ words, canonical }: Phrase, folded: ReadonlyMap<string, string>): Phrase {
  return { words: words.map((word) => folded.get(word) ?? word), canonical };
}

function byFirstWord(phrases: readonly Phrase[]): Map<string, Phrase[]> {
  const longestFirst = phrases.toSorted((a, b) => b.words.length - a.words.length);
  return Map.groupBy(longestFirst, ({ words }) => words[0] ?? '');
}

const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ONES = 'first second third fourth fifth sixth seventh eighth ninth'.split(' ');

function twoDigitOrdinals(): [string, string[]][] {
  return TENS.flatMap((ten, tens) =>
    ONES.map((one, index): [string, string[]] => {
      const ending = ['st', 'nd', 'rd'][index] ?? 'th';
      return [`${tens + 2}${index + 1}${ending}`, [`${ten} ${one}`, `${ten}${one}`]];
    }),
  );
}
