/** Cases in which the donor list contains a similar person but not the contact's person. */

import type { Case } from './case.ts';
import { type Contact, writeContact, writeHome } from './contact.ts';
import { areForms, drawFirstName, isOfBothSexes } from './names.ts';
import { drawEmployer, drawFirstOfSex, drawHome, drawPerson, type Person } from './people.ts';
import type { Random } from './random.ts';
import { isRare } from './same-person.ts';

interface OtherPerson {
  /**
   * Creates the contact of a person who is easily confused with this donor. Returns null if the kind is impossible for
   * the donor.
   */
  write: (donor: Person, random: Random) => Contact | null;
  /** True if no detail of the contact distinguishes the two people. */
  isUndecidable?: boolean;
}

/** Pairs of first names that differ by one letter or ending, although each name belongs to a different person. */
export const CLOSE_NAMES = [
  ['Robert', 'Roberta'],
  ['Andrew', 'Andrea'],
  ['Brian', 'Briana'],
  ['Jason', 'Mason'],
  ['Jack', 'Zack'],
  ['Ann', 'Nan'],
  ['Danny', 'Manny'],
  ['Eric', 'Erica'],
  ['Paul', 'Paula'],
  ['Jayden', 'Hayden'],
  ['Daniel', 'Danielle'],
  ['Joseph', 'Josephine'],
  ['Carl', 'Carla'],
  ['Marla', 'Darla'],
  ['Samuel', 'Samantha'],
  ['Christopher', 'Christina'],
] as const;

/** Pairs of different first names that are rare in the United States and differ by one letter. */
export const CLOSE_RARE_NAMES = [
  ['Ramesh', 'Rajesh'],
  ['Anil', 'Sunil'],
  ['Alwin', 'Elwin'],
  ['Orla', 'Orna'],
  ['Zora', 'Dora'],
  ['Edda', 'Elda'],
  ['Milan', 'Dilan'],
  ['Ilka', 'Inka'],
  ['Amir', 'Samir'],
  ['Kenji', 'Kenzi'],
  ['Ravi', 'Rami'],
  ['Leila', 'Leina'],
  ['Akira', 'Akiko'],
  ['Bruna', 'Bryna'],
  ['Farid', 'Farad'],
  ['Arvid', 'Arvin'],
] as const;

export const OTHER_PEOPLE: Record<string, OtherPerson> = {
  'Jr, only Sr in the list, same home': {
    write: (donor) =>
      donor.filed.suffix === 'Sr' ? atHomeOf(donor, { last: `${donor.last} Jr.` }) : null,
  },
  'Jr with another middle initial, same home': {
    write: (donor, random) => {
      const initial = drawOtherInitial(donor, random);
      return initial && donor.sex === 'M' && donor.filed.suffix !== 'Jr'
        ? atHomeOf(donor, { first: `${donor.first} ${initial}.`, last: `${donor.last} Jr` })
        : null;
    },
  },
  'another middle initial, same home': {
    write: (donor, random) => {
      const initial = drawOtherInitial(donor, random);
      return initial ? atHomeOf(donor, { first: `${donor.first} ${initial}.` }) : null;
    },
  },
  'another middle name, same home': {
    write: (donor, random) => {
      if (donor.filed.middle.length < 2) return null;
      const middle = drawFirstName(random, donor.sex);
      if (middle.charAt(0) === donor.middle.charAt(0)) return null;
      return atHomeOf(donor, { first: `${donor.first} ${middle}` });
    },
  },
  'a first name one letter away, same home': {
    write: (donor) => {
      const other = findCloseName(donor.first);
      return other === null ? null : atHomeOf(donor, { first: other });
    },
  },
  'a first name one letter away, same employer': {
    write: (donor) => {
      const other = findCloseName(donor.first);
      return other === null || !donor.employer
        ? null
        : { ...writeContact(donor, { employer: true }), first: other };
    },
  },
  'spouse, same home': {
    write: (donor, random) => {
      const sex = donor.sex === 'F' ? 'M' : 'F';
      return atHomeOf(donor, { first: drawFirstOfSex(random, sex, donor.first) });
    },
  },
  '"Mrs." with the husband\'s name': {
    write: (donor) =>
      donor.sex === 'M' && !isOfBothSexes(donor.first)
        ? atHomeOf(donor, { first: `Mrs. ${donor.first}` })
        : null,
  },
  'sibling with the same initial, same home and employer': {
    write: (donor, random) => {
      const first = drawFirstName(random, donor.sex);
      if (first.charAt(0) !== donor.first.charAt(0) || first === donor.first) return null;
      if (first.slice(0, 2) === donor.first.slice(0, 2) || !donor.employer) return null;
      if (areForms(first, donor.first)) return null;
      // If the donor's middle name is the sibling's first name, the contact probably describes the donor.
      if (first === donor.middle) return null;
      return { ...writeContact(donor, { home: true, employer: true }), first };
    },
  },
  'namesake in another state, another employer': {
    write: (donor, random) => {
      const home = drawHome(random);
      if (home.state === donor.home.state || !donor.employer || isRare(donor)) return null;
      const employer = drawEmployer(random);
      return employer === donor.employer ? null : elsewhere(donor, writeHome(home), employer);
    },
  },
  'namesake in the same city, another street and middle initial': {
    write: (donor, random) => {
      const initial = drawOtherInitial(donor, random);
      if (!initial || isRare(donor)) return null;
      const { city, state } = donor.home;
      const address = writeHome({ ...drawHome(random), city, state });
      return { ...elsewhere(donor, address), first: `${donor.first} ${initial}` };
    },
  },
  'namesake in another unit of the building': {
    write: (donor, random) => {
      if (!donor.home.unit || isRare(donor)) return null;
      const unit = String(Number(donor.home.unit) + random.between(1, 20));
      const address = writeHome({ ...donor.home, unit });
      const employer = drawEmployer(random);
      return employer === donor.employer ? null : elsewhere(donor, address, employer);
    },
  },
  'a last name one letter away, same first name, another street': {
    write: (donor, random) => {
      if (!isRare(donor)) return null;
      const last = replaceLetter(donor.last, random);
      const { city, state, zip } = donor.home;
      return { ...elsewhere(donor, writeHome({ ...drawHome(random), city, state, zip })), last };
    },
  },
  'new resident with the same first name': {
    write: (donor, random) => {
      const { last } = drawPerson(random, '');
      return last.charAt(0) === donor.last.charAt(0) ? null : atHomeOf(donor, { last });
    },
  },
  'like-named relative without suffix or initial, same home': {
    write: (donor) => atHomeOf(donor),
    isUndecidable: true,
  },
  'namesake with a common name, name alone': {
    write: (donor) => (isRare(donor) ? null : { ...writeContact(donor, {}) }),
    isUndecidable: true,
  },
};

/** Creates `size` random cases of each kind. The list does not contain the contact's person. */
export function drawOtherPeopleCases(people: Person[], size: number, random: Random): Case[] {
  return Object.entries(OTHER_PEOPLE).flatMap(([kind, { write, isUndecidable = false }]) => {
    const cases: Case[] = [];
    for (const donor of random.shuffle(people)) {
      if (cases.length === size) break;
      const contact = write(donor, random);
      if (!contact || isInList(contact, donor, people)) continue;
      cases.push({ kind, contact, right: [], beside: [donor.key], isUndecidable });
    }
    return cases;
  });
}

/**
 * Returns true if another person with the donor's home may be the contact's person. The function compares the initials
 * of the first names.
 */
function isInList(contact: Contact, donor: Person, people: Person[]): boolean {
  const isMrs = contact.first.startsWith('Mrs.');
  return people.some(
    (person) =>
      person !== donor &&
      person.home === donor.home &&
      (isMrs || toSound(person.first) === toSound(contact.first)),
  );
}

/** Returns the sound with which a name starts, which is equal for Christina and Kristina. */
function toSound(first: string): string {
  return first.charAt(0).replace('C', 'K');
}

function atHomeOf(donor: Person, changes: Partial<Contact> = {}): Contact {
  return { ...writeContact(donor, { home: true }), ...changes };
}

function elsewhere({ first, last }: Person, address: string, employer?: string): Contact {
  return { first, last, addresses: [address], employers: employer ? [employer] : [] };
}

/** Returns a middle initial that differs from the donor list. Returns null if the list contains no middle name. */
export function drawOtherInitial({ filed }: Person, random: Random): string | null {
  if (!filed.middle) return null;
  const others = [...'ABCDEFGHJKLMNPRSTW'].filter((initial) => initial !== filed.middle.charAt(0));
  return random.pick(others);
}

function findCloseName(first: string): string | null {
  for (const [one, other] of CLOSE_NAMES) {
    if (first === one) return other;
    if (first === other) return one;
  }
  return null;
}

export function replaceLetter(word: string, random: Random): string {
  const at = random.between(1, word.length - 2);
  const letter = random.pick(
    [...'bdgklmnprstv'].filter((other) => other !== word.charAt(at).toLowerCase()),
  );
  return word.slice(0, at) + letter + word.slice(at + 1);
}
