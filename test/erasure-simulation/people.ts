/**
 * Creates the people in a history. Each word about a person is unique, so each word that the check finds identifies one
 * person.
 */
import type { Random } from '../simulation/random.ts';

export interface Human {
  index: number;
  first: string;
  last: string;
  /** The name under which the service knows the donor. Renaming the person in the CRM does not change it. */
  known: { first: string; last: string };
  street: string;
  employer: string;
  /** A word that occurs only in the service's profile of the person. */
  trait: string;
  donorId: string;
  /** The words that each identify only this person. */
  words: string[];
}

export interface People {
  all: readonly Human[];
  byWord(word: string): Human | undefined;
  byDonor(donorId: string): Human | undefined;
  /** Gives a human being a different last name. */
  rename(human: Human): void;
}

const CONSONANTS = 'bcdfghjklmnpqrstvwxz';
const VOWELS = 'aeiou';

export function createPeople(random: Random, count: number): People {
  const used = new Set<string>();

  function word(): string {
    for (;;) {
      let text = '';
      for (let pair = 0; pair < 5; pair += 1) {
        text += CONSONANTS.charAt(random.int(0, 19)) + VOWELS.charAt(random.int(0, 4));
      }
      if (used.has(text)) continue;
      used.add(text);
      return text.charAt(0).toUpperCase() + text.slice(1);
    }
  }

  const all = Array.from({ length: count }, (_, index): Human => {
    const [first, last, street, employer, trait] = [word(), word(), word(), word(), word()];
    const donorId = Buffer.from(random.bytes(16)).toString('hex');
    const known = { first, last };
    const words = [first, last, street, employer, trait];
    return { index, first, last, known, street, employer, trait, donorId, words };
  });
  return {
    all,
    byWord: (text) => all.find(({ words }) => words.includes(text)),
    byDonor: (donorId) => all.find((human) => human.donorId === donorId),
    rename(human) {
      human.last = word();
      human.words.push(human.last);
    },
  };
}

export function fullName({ first, last }: Pick<Human, 'first' | 'last'>): string {
  return `${first} ${last}`;
}
