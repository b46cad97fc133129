/**
 * Recognises the names of erased people in texts. The names are stored as keyed fingerprints of their words. Written
 * texts are stored in the same way, so an erasure finds them even if the CRM does not show them.
 */

import type { FieldValues } from '../../core/crm-field.ts';
import type { FieldMapping, FieldSource } from '../../core/field-map.ts';
import { type Fingerprint, joinFingerprints } from '../../database/encryption/fingerprint.ts';

/** A first and a last name, as in the CRM or at the service. */
export interface PersonName {
  first: string | null;
  last: string | null;
}

export interface NamesOfPerson {
  /** True if no name is known, in which case nothing can be searched. */
  isEmpty: boolean;
  /** Each name as the fingerprints of its words, separated by spaces. */
  names: readonly string[];
  /** True if a text contains the person's first and last name as whole words. */
  areIn(text: string): boolean;
  /**
   * True if a written text contains the name. `words` is the result of `fingerprintTexts`, and `contact` is the
   * fingerprint of the contact's ID.
   */
  areInWritten(contact: string, words: string): boolean;
  /**
   * Returns the same names without the name of the contact whose texts are searched. That name refers to the contact
   * itself.
   */
  except(own: string | null): NamesOfPerson;
  /** Does the same as `except` for a full name, which may contain more than a first and a last name. */
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

/** Returns fingerprints of the words in a text, in order. */
export type WordFingerprints = (text: string) => readonly string[];

/** Given names and words in organisations' names recur often. This many of them fit into about 1 MB. */
const TEXTS_KEPT = 5_000;

/** Caches short texts and their fingerprints. The cache belongs to a run, so no name stays in memory after the run. */
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
 * Returns the fingerprints of the words in a name, or null if the first or last name is missing. A last name alone
 * would also match relatives and namesakes.
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

  /** Returns the names whose words are all in a text. */
  function findIn(text: string): string[][] {
    const words = new Set(fingerprintWords(fingerprint, text));
    return known.filter((name) => name.every((word) => words.has(word)));
  }
}

/**
 * Sources whose texts may name other people. Warm paths are not included, because their texts are found by the
 * introducer.
 */
const TEXT_SOURCES: readonly FieldSource[] = [
  ...(['bio', 'work.primary', 'work.all', 'education.primary', 'education.all'] as const),
];

/**
 * Returns, for each field, the fingerprints of the capitalised words in the text written to it. They are keyed to the
 * contact, so the same word in two contacts does not look the same. `contact` is the fingerprint of the contact's ID.
 */
export function fingerprintTexts(
  wordsIn: WordFingerprints,
  contact: string,
  changes: FieldValues,
  mappings: readonly FieldMapping[],
): Record<string, string> {
  const texts: Record<string, string> = {};
  // Several texts of a contact often share words.
  const known = new Map<string, string>();
  for (const { from, to } of mappings) {
    const value = changes[to];
    if (typeof value !== 'string' || !TEXT_SOURCES.includes(from)) continue;
    const words = new Set<string>();
    for (const part of value.match(isAscii(value) ? CAPITALISED_ASCII : CAPITALISED) ?? []) {
      for (const word of wordsIn(part)) words.add(word);
    }
    // A single word is not a full name.
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

/** Finds words that can be names: words with a capital first letter, and words in scripts without capital letters. */
const CAPITALISED = /(?<![\p{L}\p{M}\p{N}])[\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}\p{N}]*/gu;

/** Finds the same words if the text is ASCII, which most texts are. Takes a third of the time. */
const CAPITALISED_ASCII = /(?<![A-Za-z0-9])[A-Z][A-Za-z0-9]*/g;

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function splitWords(text: string): string[] {
  if (/^[A-Za-z0-9]+$/.test(text)) return [text.toLowerCase()];
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Returns 66 bits, which are enough to distinguish all words. */
function fingerprintWord(fingerprint: Fingerprint, word: string): string {
  return fingerprint('word', word).slice(0, 11);
}

/** Returns 36 bits, which are enough because a text contains only a few dozen words. */
function fingerprintWritten(contact: string, word: string): string {
  return joinFingerprints(contact, word).slice(0, 6);
}
