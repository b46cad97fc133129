/**
 * Creates random families, of which the donor list contains one, two or all members. The contact describes one member
 * and must not receive another member's profile.
 */

import type { Case } from './case.ts';
import { type Contact, writeContact } from './contact.ts';
import { areForms, drawFirstName, drawRareSurname, isOfBothSexes, type Sex } from './names.ts';
import { CLOSE_NAMES, CLOSE_RARE_NAMES, replaceLetter } from './other-people.ts';
import { drawBirth, drawEmployer, drawHome, drawPerson, type Person } from './people.ts';
import type { Random } from './random.ts';

/** The details that a contact contains in addition to the name and the home. */
interface Shown {
  middle?: 'initial' | 'name';
  suffix?: boolean;
  employer?: boolean;
  /** True if the contact contains only the initial of the first name. */
  isInitial?: boolean;
  /**
   * True if the first names are not in any list of names. A different letter in such a first name can be a typing
   * error.
   */
  isInvented?: boolean;
  /** True if the contact names the wife as "Mrs." with her husband's first name. */
  isMrs?: boolean;
}

interface Family {
  members: Person[];
  /** The family member whom the contact describes. Omitted if the contact can describe any member. */
  contact?: Person;
  shown: Shown;
}

type Draw = (family: Kin, random: Random) => Family;

/** Family members who share a last name and a home. */
interface Kin {
  add(fixed: Partial<Person>): Person;
}

const ADULT: [number, number] = [1940, 1985];

export const FAMILIES: Record<string, Draw> = {
  'brothers Robert James and James Robert': ({ add }, random) => {
    const [one, other] = drawTwoNames(random, 'M');
    const members = [
      add({ sex: 'M', first: one, middle: other }),
      add({ sex: 'M', first: other, middle: one }),
    ];
    const middle = random.pick(['initial', 'name', undefined] as const);
    return { members, shown: middle ? { middle } : {} };
  },
  '"Mrs." with the husband\'s name': ({ add }, random) => {
    const husband = add({ sex: 'M', first: drawHusbandsName(random) });
    const wife = add({ sex: 'F', first: drawFirstName(random, 'F') });
    return { members: [husband, wife], contact: wife, shown: { isMrs: true } };
  },
  'Sr, Jr and III, suffix in the contact and the list': ({ add }, random) => ({
    members: addGenerations(add, random, { isFiled: true }),
    shown: { suffix: true },
  }),
  'Sr, Jr and III, suffix only in the contact': ({ add }, random) => ({
    members: addGenerations(add, random, { isFiled: false }),
    shown: { suffix: true },
  }),
  'Sr, Jr and III, suffix only in the list': ({ add }, random) => ({
    members: addGenerations(add, random, { isFiled: true }),
    shown: {},
  }),
  'Sr and Jr with different middle initials, no suffix': ({ add }, random) => {
    const first = drawFirstName(random, 'M');
    const [one, other] = drawTwoNames(random, 'M');
    return {
      members: [
        add({ sex: 'M', first, middle: one, birth: drawBirth(random, 1935, 1950) }),
        add({ sex: 'M', first, middle: other, birth: drawBirth(random, 1962, 1980) }),
      ],
      shown: { middle: 'initial' },
    };
  },
  'father and son with the same name, each with an employer': ({ add }, random) => {
    const first = drawFirstName(random, 'M');
    return {
      members: [
        add({ sex: 'M', first, employer: drawEmployer(random) }),
        add({ sex: 'M', first, employer: drawEmployer(random) }),
      ],
      shown: { employer: true },
    };
  },
  'mother and daughter with another middle name': ({ add }, random) => {
    const first = drawFirstName(random, 'F');
    const [one, other] = drawTwoNames(random, 'F');
    return {
      members: [
        add({ sex: 'F', first, middle: one, filed: { middle: one, suffix: '', birth: '' } }),
        add({ sex: 'F', first, middle: other, filed: { middle: other, suffix: '', birth: '' } }),
      ],
      shown: { middle: 'name' },
    };
  },
  'twins with similar names': ({ add }, random) => {
    const birth = drawBirth(random, ...ADULT);
    const [one, other] = random.pick(CLOSE_NAMES);
    return { members: [add({ first: one, birth }), add({ first: other, birth })], shown: {} };
  },
  'twins with the same initials': ({ add }, random) => {
    const birth = drawBirth(random, ...ADULT);
    const sex = random.pick(['F', 'M'] as const);
    const [one, other] = drawSameInitial(random, sex);
    const middle = drawFirstName(random, sex);
    return {
      members: [add({ sex, first: one, middle, birth }), add({ sex, first: other, middle, birth })],
      shown: random.chance(0.5) ? { middle: 'initial' } : {},
    };
  },
  'siblings with the same initials': ({ add }, random) => {
    const [one, other] = drawSameInitial(random, 'M');
    const [third] = drawSameInitial(random, 'F');
    return {
      members: [
        add({ sex: 'M', first: one }),
        add({ sex: 'M', first: other }),
        add({ sex: 'F', first: third }),
      ],
      shown: {},
    };
  },
  'siblings with the same initials, initial alone': ({ add }, random) => {
    const [one, other] = drawSameInitial(random, random.pick(['F', 'M'] as const));
    return { members: [add({ first: one }), add({ first: other })], shown: { isInitial: true } };
  },
  'rare first names one letter apart': ({ add }, random) => {
    const [one, other] = random.pick(CLOSE_RARE_NAMES);
    return { members: [add({ first: one }), add({ first: other })], shown: {} };
  },
  'invented first names one letter apart': ({ add }, random) => {
    const first = drawRareSurname(random);
    return {
      members: [add({ first }), add({ first: replaceLetter(first, random) })],
      shown: { isInvented: true },
    };
  },
  'rare last names one letter apart, next door': ({ add }, random) => {
    const one = add({ last: drawRareSurname(random) });
    const home = { ...one.home, number: one.home.number + 2 };
    const last = replaceLetter(one.last, random);
    return { members: [one, add({ sex: one.sex, first: one.first, last, home })], shown: {} };
  },
  'cousins with the same name in one city': ({ add }, random) => {
    const one = add({});
    const { city, state, zip } = one.home;
    const home = { ...drawHome(random), city, state, zip };
    return { members: [one, add({ sex: one.sex, first: one.first, home })], shown: {} };
  },
  'cousins with the same name in two units': ({ add }, random) => {
    const home = { ...drawHome(random), unit: String(random.between(1, 20)) };
    const one = add({ home });
    const unit = String(Number(home.unit) + random.between(1, 20));
    const other = add({ sex: one.sex, first: one.first, home: { ...home, unit } });
    return { members: [one, other], shown: {} };
  },
  'spouses, one of whom the list lacks': ({ add }, random) => ({
    members: [
      add({ sex: 'M', first: drawFirstName(random, 'M') }),
      add({ sex: 'F', first: drawFirstName(random, 'F') }),
    ],
    shown: random.chance(0.5) ? { employer: true } : {},
  }),
};

export interface FamilyCases {
  donors: Person[];
  cases: Case[];
}

/** Creates `size` random families with one contact each, with equally many families of each kind. */
export function drawFamilyCases(size: number, random: Random): FamilyCases {
  const kinds = Object.entries(FAMILIES);
  const donors: Person[] = [];
  const cases: Case[] = [];
  for (let index = 0; index < size; index++) {
    const [kind, draw] = kinds[index % kinds.length] ?? [];
    if (kind === undefined || draw === undefined) throw new Error('There are no families.');
    const {
      members,
      contact = random.pick(members),
      shown,
    } = draw(createKin(`f${index}-`, random), random);
    const count = random.pick([1, 2, members.length]);
    const filed = random.shuffle(members).slice(0, count);
    donors.push(...filed);
    const others = filed.filter((member) => member !== contact);
    cases.push({
      kind,
      contact: writeMember(contact, members, shown),
      right: filed.includes(contact) ? [contact.key] : [],
      beside: others.map((member) => member.key),
      isUndecidable: others.some(
        (other) =>
          !contradicts(contact, other, shown) &&
          !(filed.includes(contact) && isNearer(contact, other, shown)),
      ),
    });
  }
  return { donors, cases };
}

function createKin(prefix: string, random: Random): Kin {
  const { last, special, home } = drawPerson(random, '');
  let members = 0;
  return {
    add(fixed) {
      members += 1;
      const shared = { last, special, home, suffix: '' };
      return drawPerson(random, `${prefix}${members}`, { ...shared, ...fixed });
    },
  };
}

function addGenerations(
  add: Kin['add'],
  random: Random,
  { isFiled }: { isFiled: boolean },
): Person[] {
  const first = drawFirstName(random, 'M');
  const middle = drawFirstName(random, 'M');
  const generations = [
    { suffix: 'Sr', birth: drawBirth(random, 1930, 1940) },
    { suffix: 'Jr', birth: drawBirth(random, 1955, 1965) },
    { suffix: 'III', birth: drawBirth(random, 1980, 1990) },
  ];
  return generations.map(({ suffix, birth }) => {
    const filed = { middle: middle.charAt(0), suffix: isFiled ? suffix : '', birth };
    return add({ sex: 'M', first, middle, suffix, birth, filed });
  });
}

function drawHusbandsName(random: Random): string {
  for (;;) {
    const first = drawFirstName(random, 'M');
    if (!isOfBothSexes(first)) return first;
  }
}

function drawTwoNames(random: Random, sex: Sex): [string, string] {
  const one = drawFirstName(random, sex);
  for (;;) {
    const other = drawFirstName(random, sex);
    if (other.charAt(0) !== one.charAt(0)) return [one, other];
  }
}

function drawSameInitial(random: Random, sex: Sex): [string, string] {
  for (;;) {
    const one = drawFirstName(random, sex);
    const other = drawFirstName(random, sex);
    if (other.charAt(0) !== one.charAt(0) || areForms(one, other)) continue;
    if (other.slice(0, 2) !== one.slice(0, 2)) return [one, other];
  }
}

function writeMember(person: Person, members: Person[], shown: Shown): Contact {
  const employer = shown.employer === true && person.employer !== '';
  const contact = writeContact(person, { home: true, employer });
  if (shown.isInitial) contact.first = `${person.first.charAt(0)}.`;
  if (shown.isMrs) contact.first = `Mrs. ${members.find(({ sex }) => sex === 'M')?.first}`;
  if (shown.middle && person.middle) {
    contact.first += ` ${shown.middle === 'name' ? person.middle : person.middle.charAt(0)}`;
  }
  if (shown.suffix) contact.last += ` ${person.suffix}`;
  return contact;
}

/**
 * Returns true if a detail of the contact contradicts the other member's details in the donor list. A different
 * employer is not a contradiction, because people change employers.
 */
function contradicts(person: Person, other: Person, shown: Shown): boolean {
  const { filed } = other;
  const initial = person.middle.charAt(0);
  return (
    shown.isMrs === true ||
    isOtherName(person, other, shown) ||
    person.last !== other.last ||
    person.home !== other.home ||
    (shown.suffix === true && filed.suffix !== '' && filed.suffix !== person.suffix) ||
    (shown.middle !== undefined &&
      initial !== '' &&
      filed.middle !== '' &&
      filed.middle.charAt(0) !== initial)
  );
}

/**
 * Returns true if the two first names belong to different people. An initial is not enough to decide this, and a
 * fictional name may contain a typing error. The first name of one person can also be the middle name of the other
 * person.
 */
function isOtherName({ first, middle }: Person, other: Person, shown: Shown): boolean {
  if (first === other.first || shown.isInitial || shown.isInvented) return false;
  if (shown.middle === undefined || middle === '') return first !== other.filed.middle;
  return middle !== other.first || other.filed.middle !== '' || shown.middle === 'initial';
}

/**
 * Returns true if the donor list contains a detail of the contact's person that is different for the other family
 * member.
 */
function isNearer({ first, filed, employer }: Person, other: Person, shown: Shown): boolean {
  return (
    (shown.suffix === true && filed.suffix !== '' && other.filed.suffix === '') ||
    (shown.middle !== undefined && filed.middle !== '' && other.filed.middle === '') ||
    (shown.employer === true && employer !== '' && other.employer !== employer) ||
    (!shown.isInitial && first !== other.first)
  );
}
