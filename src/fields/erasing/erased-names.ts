/**
 * Recognises erased people's names in values. A name is stored as keyed fingerprints of its words. Written values are
 * stored in the same way, so an erasure finds names even in values that the CRM hides.
 */

import type { FieldValues } from '../../core/crm-field.ts';
import type { FieldMapping, FieldSource } from '../../core/field-map.ts';
import { type Fingerprint, joinFingerprints } from '../../database/encryption/fingerprint.ts';

export interface PersonName {
  first: string | null;
  last: string | null;
}

export interface NamesOfPerson {
  /** True if there are no names of erased people to search for. */
  isEmpty: boolean;
  /** The names of erased people. Each name is a list of word fingerprints. */
  names: readonly string[];
  /** True if the first and the last name occur in the text as whole words. */
  areIn(text: string): boolean;
  /**
   * True if a written value contains one of the names. `words` comes from `fingerprintTexts`, and `contact` is the
   * fingerprint of the contact's ID.
   */
  areInWritten(contact: string, words: string): boolean;
  /** Excludes the name of the searched contact, because that name refers to the contact. */
  except(own: string | null): NamesOfPerson;
  /** Excludes the names in a full name, which may have more than two parts. */
  exceptNamesIn(fullName: string): NamesOfPerson;
}

export const NO_NAMES: NamesOfPerson = {
  isEmpty: true,
  names: [],
  areIn: () => false,
  areInWritten: () => false,
  except: () => NO_NAMES,
  exceptNamesIn: () => NO_NAMES,
};

/** Returns the fingerprints of the words in a value, in the order of the words. */
export type WordFingerprints = (text: string) => readonly string[];

/**
 * The number of values in the cache, because given names and words of organisations repeat often. The cache takes about
 * 1 MB.
 */
const TEXTS_KEPT = 5_000;

/**
 * Caches short values with their fingerprints. The cache belongs to one run, so no name stays in memory after the run.
 */
export function rememberWords(fingerprint: Fingerprint): WordFingerprints {
  const kept = new Map<string, readonly string[]>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const words = fingerprintWords(fingerprint, text);
    if (kept.size >= TEXTS_KEPT) kept.clear();
    kept.set(text, words);
    return words;
  };
}

export function fingerprintWords(fingerprint: Fingerprint, text: string): string[] {
  return splitWords(text).map((word) => fingerprintWord(fingerprint, word));
}

/**
 * Returns the fingerprints of a name, or null if the first or last name is missing. A last name alone would match
 * relatives and namesakes.
 */
export function fingerprintName(
  wordsIn: WordFingerprints,
  { first, last }: PersonName,
): string | null {
  const [called] = wordsIn(first ?? '');
  const names = wordsIn(last ?? '');
  return called === undefined || names.length === 0 ? null : [called, ...names].join(' ');
}

export function namesOfPerson(fingerprint: Fingerprint, names: readonly string[]): NamesOfPerson {
  const known = [...new Set(names)].map((name) => name.split(' '));
  if (known.length === 0) return NO_NAMES;
  const all: NamesOfPerson = {
    isEmpty: false,
    names: known.map((words) => words.join(' ')),
    areIn: (text) => findIn(text).length > 0,
    areInWritten(contact, words) {
      const written = new Set(words.match(/.{6}/g));
      return known.some((name) =>
        name.every((word) => written.has(fingerprintWritten(contact, word))),
      );
    },
    except(own) {
      if (own === null || !all.names.includes(own)) return all;
      return namesOfPerson(
        fingerprint,
        all.names.filter((name) => name !== own),
      );
    },
    exceptNamesIn(fullName) {
      const own = new Set(findIn(fullName));
      if (own.size === 0) return all;
      return namesOfPerson(
        fingerprint,
        known.flatMap((name) => (own.has(name) ? [] : name.join(' '))),
      );
    },
  };
  return all;

  /** Returns the names whose words are all in the value. */
  function findIn(text: string): string[][] {
    const words = new Set(fingerprintWords(fingerprint, text));
    return known.filter((name) => name.every((word) => words.has(word)));
  }
}

/**
 * The sources of values that may name other people. Warm paths are not in this list, because an erasure finds them by
 * their introducer.
 */
const TEXT_SOURCES: readonly FieldSource[] = [
  ...(['bio', 'work.primary', 'work.all', 'education.primary', 'education.all'] as const),
];

/**
 * Returns the fingerprints of capitalised words by field. Each contact has a different key, so equal words of two
 * contacts have different fingerprints. `contact` is the fingerprint of the contact's ID.
 */
export function fingerprintTexts(
  wordsIn: WordFingerprints,
  contact: string,
  changes: FieldValues,
  mappings: readonly FieldMapping[],
): Record<string, string> {
  const texts: Record<string, string> = {};
  // The values of a contact often share words, so each word is fingerprinted only once.
  const known = new Map<string, string>();
  for (const { from, to } of mappings) {
    const value = changes[to];
    if (typeof value !== 'string' || !TEXT_SOURCES.includes(from)) continue;
    const words = new Set<string>();
    for (const part of value.match(isAscii(value) ? CAPITALISED_ASCII : CAPITALISED) ?? []) {
      for (const word of wordsIn(part)) words.add(word);
    }
    // A value with a single word does not contain a full name.
    if (words.size > 1) texts[to] = join(words);
  }
  return texts;

  function join(words: ReadonlySet<string>): string {
    let joined = '';
    for (const word of words) {
      const written = known.get(word) ?? fingerprintWritten(contact, word);
      known.set(word, written);
      joined += written;
    }
    return joined;
  }
}

/** Finds words that may be names. A word may be a name if it starts with a capital or its script has no capitals. */
const CAPITALISED = /(?<![\p{L}\p{M}\p{N}])[\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}\p{N}]*/gu;

/**
 * Finds words that may be names in plain ASCII text. Most values are ASCII, and this expression takes a third of the
 * time.
 */
const CAPITALISED_ASCII = /(?<![A-Za-z0-9])[A-Z][A-Za-z0-9]*/g;

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function splitWords(text: string): string[] {
  if (/^[A-Za-z0-9]+$/.test(text)) return [text.toLowerCase()];
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Returns the fingerprint of a name's word. 66 bits distinguish all words. */
function fingerprintWord(fingerprint: Fingerprint, word: string): string {
  return fingerprint('word', word).slice(0, 11);
}

/**
 * Returns the fingerprint of a written value's word. 36 bits are enough, because a value has only a few dozen words.
 */
function fingerprintWritten(contact: string, word: string): string {
  return joinFingerprints(contact, word).slice(0, 6);
}
