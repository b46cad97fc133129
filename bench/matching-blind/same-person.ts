/**
 * Cases with ordinary variations. The contact describes a donor in the list, but its details are written differently.
 */

import type { Case } from './case.ts';
import {
  type Contact,
  misread,
  mistype,
  stripMarks,
  writeContact,
  writeCyrillic,
  writeHome,
  writeHomeInWords,
  writeHomeShort,
  writeStreet,
  writeUmlauts,
} from './contact.ts';
import { CYRILLIC_FIRST, drawRareSurname, SHORT_FORMS } from './names.ts';
import { drawHome, type Home, type Person } from './people.ts';
import type { Random } from './random.ts';

/** Writes a person's contact with one variation. Returns null if the variation is impossible for the person. */
type Writer = (person: Person, random: Random) => Contact | null;

const ENOUGH_LETTERS = 5;

export const SAME_PERSON: Record<string, Writer> = {
  'as in the list, home': (person) => atHome(person),
  'as in the list, employer': (person) => atWork(person),
  'as in the list, home and employer': (person) => atBoth(person),
  'capitals and blanks, home': (person) =>
    atHome(person, {
      first: ` ${person.first.toUpperCase()}  `,
      last: person.last.toUpperCase(),
      addresses: [writeHome(person.home).toUpperCase()],
    }),
  'small letters, street and ZIP code': (person) =>
    atHome(person, {
      first: person.first.toLowerCase(),
      last: person.last.toLowerCase(),
      addresses: [`${writeStreet(person.home)} ${person.home.zip}`.toLowerCase()],
    }),
  'short street type': (person) => atHome(person, { addresses: [writeHomeShort(person.home)] }),
  'state in words, no ZIP code': (person) =>
    atHome(person, { addresses: [writeHomeInWords(person.home)] }),
  'typing error in the street': (person, random) =>
    atHome(person, {
      addresses: [writeHome({ ...person.home, street: mistype(random, person.home.street) })],
    }),
  'house number with exchanged digits, middle initial': (person) => {
    const digits = String(person.home.number);
    const number = Number(digits.slice(0, -2) + digits.slice(-1) + digits.slice(-2, -1));
    if (number === person.home.number || digits.length < 3 || !person.filed.middle) return null;
    const first = `${person.first} ${person.middle.charAt(0)}`;
    return atHome(person, { first, addresses: [writeHome({ ...person.home, number })] });
  },
  'unit left out': (person) =>
    person.home.unit
      ? atHome(person, { addresses: [writeHome({ ...person.home, unit: '' })] })
      : null,
  'two addresses, one of them old': (person, random) =>
    atHome(person, { addresses: [writeHome(drawHome(random)), writeHome(person.home)] }),
  'short form, home': (person, random) => {
    const short = drawShortForm(person, random);
    return short ? atHome(person, { first: short }) : null;
  },
  'short form, employer': (person, random) => {
    const short = drawShortForm(person, random);
    return short ? atWork(person, { first: short }) : null;
  },
  'initial, home': (person) => atHome(person, { first: `${person.first.charAt(0)}.` }),
  'initial, home and employer': (person) => atBoth(person, { first: `${person.first.charAt(0)}.` }),
  'no first name, home and employer': (person) => atBoth(person, { first: '' }),
  'middle initial, home': (person) =>
    person.middle ? atHome(person, { first: `${person.first} ${person.middle.charAt(0)}.` }) : null,
  'middle name, home': (person) =>
    person.middle ? atHome(person, { first: `${person.first} ${person.middle}` }) : null,
  'middle name as first name, home': (person) =>
    hasWholeMiddle(person) ? atHome(person, { first: person.middle }) : null,
  'initial and middle name, home': (person) =>
    hasWholeMiddle(person)
      ? atHome(person, { first: `${person.first.charAt(0)}. ${person.middle}` })
      : null,
  'names exchanged, home': (person) => atHome(person, swap(person)),
  'names exchanged, employer': (person) => atWork(person, swap(person)),
  'whole name in the last name': (person) =>
    atHome(person, { first: '', last: `${person.first} ${person.last}` }),
  'last name, comma, first name in one field': (person) =>
    atHome(person, { first: '', last: `${person.last}, ${person.first}` }),
  'title before the name': (person, random) =>
    atHome(person, { first: `${random.pick(['Dr.', 'Rev.', 'Prof.', 'Hon.'])} ${person.first}` }),
  'degree after the name': (person, random) =>
    atHome(person, { last: `${person.last}${random.pick([', PhD', ' CPA', ', M.D.', ' Esq.'])}` }),
  'note in the first name': (person, random) =>
    atHome(person, {
      first: `${person.first} ${random.pick(['(do not call)', '(board chair)', '- moved?', '(widowed)', '*VIP*'])}`,
    }),
  'note in the last name': (person, random) =>
    atHome(person, {
      last: `${person.last} ${random.pick(['- DO NOT MAIL', '(deceased spouse)', '[duplicate?]', '(Trustee)', '- see notes'])}`,
    }),
  'couple in the first name': (person) =>
    atHome(person, { first: `${person.first} & ${person.sex === 'F' ? 'Arthur' : 'Estelle'}` }),
  'hyphenated married name, home': (person, random) =>
    person.sex === 'F'
      ? atHome(person, { last: `${person.last}-${drawRareSurname(random)}` })
      : null,
  'other married name, home and employer': (person, random) =>
    person.sex === 'F' ? atBoth(person, { last: drawRareSurname(random) }) : null,
  'typing error in the first name': (person, random) =>
    person.first.length >= ENOUGH_LETTERS
      ? atHome(person, { first: mistype(random, person.first) })
      : null,
  'typing error in the last name': (person, random) =>
    person.last.length >= ENOUGH_LETTERS
      ? atHome(person, { last: mistype(random, person.last) })
      : null,
  'typing errors in both names': (person, random) =>
    person.first.length >= ENOUGH_LETTERS && person.last.length >= ENOUGH_LETTERS
      ? atHome(person, { first: mistype(random, person.first), last: mistype(random, person.last) })
      : null,
  'two typing errors in the last name': (person, random) =>
    person.last.length >= ENOUGH_LETTERS + 2
      ? atHome(person, { last: mistype(random, mistype(random, person.last)) })
      : null,
  'two errors of text recognition': (person, random) => {
    const once = misread(random, person.last);
    const last = once && misread(random, once);
    return last && last !== person.last ? atHome(person, { last }) : null;
  },
  'umlaut for two letters': (person) =>
    person.special === 'umlaut' ? atHome(person, { last: writeUmlauts(person.last) }) : null,
  'letters without their marks': (person) =>
    person.special === 'accent' ? atHome(person, { last: stripMarks(person.last) }) : null,
  'Cyrillic letters, home': (person) =>
    person.special === 'cyrillic' && CYRILLIC_FIRST[person.sex].includes(person.first)
      ? atHome(person, { first: writeCyrillic(person.first), last: writeCyrillic(person.last) })
      : null,
  'particles in one word': (person) =>
    person.special === 'particle'
      ? atHome(person, { last: capitalise(person.last.replaceAll(' ', '').toLowerCase()) })
      : null,
  "O', Mc and Mac": (person) =>
    person.special === 'celtic'
      ? atHome(person, {
          last: person.last.includes("'")
            ? capitalise(person.last.replace("'", '').toLowerCase())
            : person.last.replace(/^(Ma?c)/, '$1 '),
        })
      : null,
  'the first of two last names': (person) =>
    person.special === 'double' ? atHome(person, { last: person.last.split(' ')[0] ?? '' }) : null,
  'suffix in the last name': (person) =>
    person.filed.suffix ? atHome(person, { last: `${person.last} ${person.suffix}.` }) : null,
  'moved, employer and rare name': (person, random) =>
    isRare(person) ? atWork(person, { addresses: [writeHome(drawHome(random))] }) : null,
  'moved in the city, rare name, middle initial': (person, random) =>
    isRare(person) && person.filed.middle
      ? atHome(person, {
          first: `${person.first} ${person.middle.charAt(0)}`,
          addresses: [writeHome(moveInCity(random, person.home))],
        })
      : null,
  'post office box and employer': (person, random) => {
    const { city, state, zip } = person.home;
    const box = `PO Box ${random.between(10, 9_999)}, ${city}, ${state} ${zip}`;
    return atWork(person, { addresses: [box] });
  },
  'other form of the employer': (person, random) =>
    person.employer ? atWork(person, { employers: [varyEmployer(person.employer, random)] }) : null,
};

/** Creates `size` random cases of each kind. A small population can contain fewer suitable people. */
export function drawSamePersonCases(people: Person[], size: number, random: Random): Case[] {
  return Object.entries(SAME_PERSON).flatMap(([kind, write]) => {
    const cases: Case[] = [];
    for (const person of random.shuffle(people)) {
      if (cases.length === size) break;
      const contact = write(person, random);
      if (!contact) continue;
      cases.push({ kind, contact, right: [person.key], beside: [], isUndecidable: false });
    }
    return cases;
  });
}

function atHome(person: Person, changes: Partial<Contact> = {}): Contact {
  return { ...writeContact(person, { home: true }), ...changes };
}

function atWork(person: Person, changes: Partial<Contact> = {}): Contact | null {
  return person.employer ? { ...writeContact(person, { employer: true }), ...changes } : null;
}

function atBoth(person: Person, changes: Partial<Contact> = {}): Contact | null {
  return person.employer
    ? { ...writeContact(person, { home: true, employer: true }), ...changes }
    : null;
}

function swap({ first, last }: Person): Partial<Contact> {
  return { first: last, last: first };
}

function drawShortForm({ first }: Person, random: Random): string | null {
  const forms = SHORT_FORMS[first];
  return forms ? random.pick(forms) : null;
}

function hasWholeMiddle({ filed }: Person): boolean {
  return filed.middle.length > 1;
}

/** Returns true if the last name is so rare that the name and one other detail identify a person. */
export function isRare({ last, special }: Person): boolean {
  return special === null && RARE_END.test(last);
}

const RARE_END =
  /(feather|athy|weather|ingham|croft|mere|stead|combe|hurst|gard|inski|ovich|quist|dahl|etti|thwaite)$/;

function moveInCity(random: Random, { city, state, zip }: Home): Home {
  return { ...drawHome(random), city, state, zip };
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function varyEmployer(employer: string, random: Random): string {
  return random.pick([
    `${employer}, Inc.`,
    `The ${employer} LLC`,
    `${employer} (retired)`,
    employer.toUpperCase(),
    `${employer} Company`,
    mistype(random, employer),
  ]);
}
