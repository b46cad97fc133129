/** Cases in which one detail of the contact is wrong, but the correct employer is stronger evidence. */

import type { Case } from './case.ts';
import { type Contact, writeContact, writeHome } from './contact.ts';
import { drawOtherInitial } from './other-people.ts';
import type { Person } from './people.ts';
import type { Random } from './random.ts';

type Writer = (person: Person, random: Random) => Partial<Contact> | null;

export const WRONG_DETAILS: Record<string, Writer> = {
  'wrong middle initial, home and employer': (person, random) => {
    const initial = drawOtherInitial(person, random);
    return initial ? { first: `${person.first} ${initial}.` } : null;
  },
  'initial of the maiden name, home and employer': (person, random) => {
    const initial = drawOtherInitial(person, random);
    return person.sex === 'F' && initial ? { first: `${person.first} ${initial}` } : null;
  },
  'suffix missing, home and employer': (person) => (person.filed.suffix ? {} : null),
  'another unit, same building and employer': (person, random) => {
    const { unit } = person.home;
    if (!unit) return null;
    const moved = { ...person.home, unit: String(Number(unit) + random.between(1, 20)) };
    return { addresses: [writeHome(moved)] };
  },
};

export function drawWrongDetailCases(people: Person[], size: number, random: Random): Case[] {
  return Object.entries(WRONG_DETAILS).flatMap(([kind, write]) => {
    const cases: Case[] = [];
    for (const person of random.shuffle(people)) {
      if (cases.length === size) break;
      const changes = person.employer ? write(person, random) : null;
      if (!changes) continue;
      const contact = { ...writeContact(person, { home: true, employer: true }), ...changes };
      cases.push({ kind, contact, right: [person.key], beside: [], isUndecidable: false });
    }
    return cases;
  });
}
