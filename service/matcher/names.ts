/** Names, made comparable: how they are normalised and how well two first names agree. */

import { areSameFirstName } from '../../people/nicknames.ts';
import { withinOneEdit, words } from './words.ts';

/** A name in lower case without accents, titles, suffixes and punctuation; parts may be empty. */
export interface ComparableName {
  first: string;
  /** What follows the first name in its field, or the known middle name. */
  middles: string[];
  /** Without spaces, so that "Van der Berg" and "Vanderberg" agree. */
  last: string;
}

/** How well a first name agrees, best first: the same, a short form, an initial, one typo. */
export type FirstNameFit = 'same' | 'nickname' | 'initial' | 'typo';

const TITLES = new Set(['mr', 'mrs', 'ms', 'miss', 'dr', 'prof', 'professor', 'rev', 'hon']);
const SUFFIXES = new Set(['jr', 'sr', 'ii', 'iii', 'iv', 'md', 'phd', 'esq', 'dds', 'cpa']);

/** Normalises a name; a remark in brackets, like a nickname, is left out. */
export function comparableName(first: string, middle: string, last: string): ComparableName {
  const given = words(withoutBrackets(first)).filter((word) => !TITLES.has(word));
  const family = words(withoutBrackets(last)).filter((word) => !SUFFIXES.has(word));
  return {
    first: given[0] ?? '',
    middles: [...given.slice(1), ...words(middle)],
    last: family.join(''),
  };
}

/** How the first name of a person agrees with that of a donor; undefined if it does not. */
export function fitFirstName(person: string, donor: string): FirstNameFit | undefined {
  if (person === donor) {
    return 'same';
  }
  if (person.length === 1 || donor.length === 1) {
    return person[0] === donor[0] ? 'initial' : undefined;
  }
  if (areSameFirstName(person, donor)) {
    return 'nickname';
  }
  return withinOneEdit(person, donor) ? 'typo' : undefined;
}

/** Whether two middle names speak against each other; an initial agrees with every such name. */
export function middlesDisagree(person: readonly string[], donor: readonly string[]): boolean {
  if (person.length === 0 || donor.length === 0) {
    return false;
  }
  return !person.some((one) => donor.some((other) => middlesAgree(one, other)));
}

function middlesAgree(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one) || withinOneEdit(one, other);
}

function withoutBrackets(text: string): string {
  return text.replaceAll(/\([^)]*\)|"[^"]*"/g, ' ');
}
