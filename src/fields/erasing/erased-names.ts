/**
 * The names of people who are erased, as keyed fingerprints of their words, and whether a text has one of them. Texts that
 * were written are known by fingerprints of their own words, so that an erasure finds them whatever the CRM shows.
 */

import type { FieldValues } from '../../core/crm-field.ts';
import type { FieldMapping, FieldSource } from '../../core/field-map.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';

/** A first and a last name, as the CRM or the service has them. */
export interface PersonName {
  first: string | null;
  last: string | null;
}

export interface NamesOfPerson {
  /** True if no name is known, so that no text can be searched. */
  isEmpty: boolean;
  /** Each as the fingerprints of its words, separated by spaces. */
  names: readonly string[];
  /** True if a text has the first and the last name of the person as whole words. */
  areIn(text: string): boolean;
  /** True if a text that was written has them, by `fingerprintTexts`; `contact` is the fingerprint of the contact's id. */
  areInWritten(contact: string, words: string): boolean;
  /** The same without a name that is also that of the contact whose texts are searched: they name that contact. */
  except(own: string | null): NamesOfPerson;
  /** The same by a full name as it is written, which may have more words than a first and a last name. */
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

/** Fingerprints of the words of a name; null for half of one. A last name alone finds too much: relatives and namesakes. */
export function fingerprintName(
  fingerprint: Fingerprint,
  { first, last }: PersonName,
): string | null {
  const [called = ''] = splitWords(first ?? '');
  const words = [called, ...splitWords(last ?? '')];
  if (called === '' || words.length < 2) return null;
  return words.map((word) => fingerprintWord(fingerprint, word)).join(' ');
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
        name.every((word) => written.has(fingerprintWritten(fingerprint, contact, word))),
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

  /** The names of which a text has every word. */
  function findIn(text: string): string[][] {
    const words = new Set(splitWords(text).map((word) => fingerprintWord(fingerprint, word)));
    return known.filter((name) => name.every((word) => words.has(word)));
  }
}

/** The sources whose texts may name other people; those of a warm path are known by their introducer. */
const TEXT_SOURCES: readonly FieldSource[] = [
  ...(['bio', 'work.primary', 'work.all', 'education.primary', 'education.all'] as const),
];

/** The words that texts of a run have had → the fingerprints of what they consist of, since most words come again. */
export type KnownWords = Map<string, readonly string[]>;

/** Enough for the words that many texts share, in less than a megabyte. */
const MOST_KNOWN = 4_000;

/**
 * Field → fingerprints of the capitalised words of the text that is written into it. They belong to the contact, so that
 * the same word in two contacts does not look alike. They are the same whatever words are known before.
 */
export function fingerprintTexts(
  fingerprint: Fingerprint,
  known: KnownWords,
  crmId: string,
  changes: FieldValues,
  mappings: readonly FieldMapping[],
): Record<string, string> {
  const written = new Map<string, string>();
  let contact: string | undefined;
  const texts: Record<string, string> = {};
  for (const { from, to } of mappings) {
    const value = changes[to];
    if (typeof value !== 'string' || !TEXT_SOURCES.includes(from)) continue;
    const words = new Set(value.split(NO_WORD).flatMap(partsOf).map(ofContact));
    // One word is no name.
    if (words.size > 1) texts[to] = [...words].join('');
  }
  return texts;

  function partsOf(word: string): readonly string[] {
    let parts = known.get(word);
    if (parts === undefined) {
      parts = splitCapitalised(word).map((part) => fingerprintWord(fingerprint, part));
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(word, parts);
    }
    return parts;
  }

  /** The texts of a contact share most of their words. */
  function ofContact(word: string): string {
    let own = written.get(word);
    if (own === undefined) {
      contact ??= fingerprint('forgotten', crmId);
      own = fingerprintWritten(fingerprint, contact, word);
      written.set(word, own);
    }
    return own;
  }
}

const NO_WORD = /[^\p{L}\p{M}\p{N}]+/u;

/** None if the word cannot be part of a name: names begin with a capital letter, or are in a script that has none. */
function splitCapitalised(word: string): string[] {
  return /^[\p{Lu}\p{Lt}\p{Lo}]/u.test(word) ? splitWords(word) : [];
}

function splitWords(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** 66 bits: enough that no other word is taken for it. */
function fingerprintWord(fingerprint: Fingerprint, word: string): string {
  return fingerprint('word', word).slice(0, 11);
}

/** 36 bits: a text is one of few dozen words. */
function fingerprintWritten(fingerprint: Fingerprint, contact: string, word: string): string {
  return fingerprint('named', `${contact} ${word}`).slice(0, 6);
}
