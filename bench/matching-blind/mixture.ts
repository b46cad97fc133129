/**
 * Creates random contacts in the proportions of an ordinary CRM. 20% of the contacts are exact, 50% are varied, 10%
 * have moved, and 20% are not in the donor list. In 3% of all contacts, a father and a son share a name and a home.
 */

import type { Case } from './case.ts';
import { writeContact, writeHome } from './contact.ts';
import { drawBirth, drawHome, drawPerson, type Person } from './people.ts';
import type { Random } from './random.ts';
import { SAME_PERSON } from './same-person.ts';

export interface Mixture {
  /** Donors that the list must contain in addition to the population. */
  donors: Person[];
  cases: Case[];
}

/** The share of contacts with an employer, among people who have a job. */
const EMPLOYER_SHARE = 0.4;

export function drawMixture(people: Person[], size: number, random: Random): Mixture {
  const donors: Person[] = [];
  const cases: Case[] = [];
  const candidates = random.shuffle(people);
  for (let index = 0; index < size; index++) {
    const person = candidates[index % candidates.length];
    if (!person) throw new Error('The population is empty.');
    const point = random.next();
    if (point < 0.03) {
      const family = drawLikeNamedFamily(`m${index}-`, random);
      donors.push(...family.donors);
      cases.push(family.case);
    } else if (point < 0.22) cases.push(drawStranger(random));
    else if (point < 0.32) cases.push(moveAway(person, random));
    else if (point < 0.52) cases.push(copyExactly(person, random));
    else cases.push(addNoise(person, random));
  }
  return { donors, cases };
}

function toCase(kind: string, contact: Case['contact'], right: string[]): Case {
  return { kind, contact, right, beside: [], isUndecidable: false };
}

function copyExactly(person: Person, random: Random): Case {
  const employer = person.employer !== '' && random.chance(EMPLOYER_SHARE);
  return toCase('exact', writeContact(person, { home: true, employer }), [person.key]);
}

function addNoise(person: Person, random: Random): Case {
  for (const kind of random.shuffle(Object.keys(SAME_PERSON))) {
    const contact = SAME_PERSON[kind]?.(person, random);
    if (contact) return toCase('noise', contact, [person.key]);
  }
  throw new Error(`No kind of variation suits ${person.key}.`);
}

function moveAway(person: Person, random: Random): Case {
  const contact = writeContact(person, { employer: person.employer !== '' && random.chance(0.6) });
  return toCase('moved', { ...contact, addresses: [writeHome(drawHome(random))] }, [person.key]);
}

function drawStranger(random: Random): Case {
  const person = drawPerson(random, '');
  const employer = person.employer !== '' && random.chance(EMPLOYER_SHARE);
  return toCase('not in the list', writeContact(person, { home: true, employer }), []);
}

/**
 * Creates a father and a son with the same name and the same home. The donor list contains the father, the son, or
 * both. The contact may describe the family member who is not in the list. 60% of the contacts contain a suffix or a
 * middle initial.
 */
function drawLikeNamedFamily(prefix: string, random: Random): { donors: Person[]; case: Case } {
  const father = drawPerson(random, `${prefix}1`, {
    sex: 'M',
    suffix: 'Sr',
    birth: drawBirth(random, 1930, 1950),
  });
  const { home, first, last, special } = father;
  const son = drawPerson(random, `${prefix}2`, {
    sex: 'M',
    home,
    first,
    last,
    special,
    suffix: 'Jr',
    birth: drawBirth(random, 1960, 1980),
  });
  const [own, other] = random.shuffle([father, son]) as [Person, Person];
  const donors = random.pick([[own, other], [own], [other]]);
  const contact = writeContact(own, { home: true });
  const shown = random.pick(['suffix', 'suffix', 'initial', 'nothing', 'nothing'] as const);
  if (shown === 'suffix') contact.last += ` ${own.suffix}`;
  if (shown === 'initial') contact.first += own.middle && ` ${own.middle.charAt(0)}.`;
  return {
    donors,
    case: {
      kind: 'like-named family',
      contact,
      right: donors.includes(own) ? [own.key] : [],
      beside: donors.includes(other) ? [other.key] : [],
      isUndecidable: donors.includes(other) && !isTold(shown, own, other),
    },
  };
}

/** Returns true if the shown detail of the contact contradicts the other person's details in the donor list. */
function isTold(shown: 'suffix' | 'initial' | 'nothing', own: Person, other: Person): boolean {
  if (shown === 'suffix') return other.filed.suffix !== '';
  if (shown === 'nothing') return false;
  return (
    own.middle !== '' &&
    other.filed.middle !== '' &&
    own.middle.charAt(0) !== other.filed.middle.charAt(0)
  );
}
