/**
 * Creates a second donor list, as if from a different source, with people from the first list, their relatives, and
 * strangers.
 */

import { drawRareSurname, SHORT_FORMS } from './names.ts';
import { drawOtherInitial } from './other-people.ts';
import { drawBirth, drawFirstOfSex, drawHome, drawPerson, type Person } from './people.ts';
import type { Random } from './random.ts';

/** A row in the second list, and the person's row in the first list. */
export interface SecondRow {
  kind: string;
  row: Person;
  /** The person's ID in the first list, or null if the first list does not contain the person. */
  same: string | null;
  /** The ID of the row in the first list from which this row was created. The report of wrong joins shows this ID. */
  beside: string | null;
}

type Change = (person: Person, random: Random) => Partial<Person> | null;

/** Changes that vary one detail as different sources do. */
const VARIATIONS: Record<string, Change> = {
  'the same': () => ({}),
  'short form': ({ first }, random) => {
    const forms = SHORT_FORMS[first];
    return forms ? { first: random.pick(forms) } : null;
  },
  'no middle name': (person) => ({ filed: { ...person.filed, middle: '' } }),
  'middle initial': (person) =>
    person.middle ? { filed: { ...person.filed, middle: person.middle.charAt(0) } } : null,
  'year of birth': (person) => ({ filed: { ...person.filed, birth: person.birth.slice(0, 4) } }),
  'no employer': () => ({ employer: '' }),
  'moved, with the same employer': (person, random) =>
    person.employer ? { home: drawHome(random) } : null,
  'married, with the day of birth': (person, random) =>
    person.sex === 'F'
      ? { last: drawRareSurname(random), filed: { ...person.filed, birth: person.birth } }
      : null,
};

/** Changes after which one detail contradicts the first list, while the date of birth or the employer still agrees. */
const WRONG_DETAILS: Record<string, Change> = {
  'wrong middle initial, day of birth': withOtherInitial,
  'initial of the maiden name, day of birth': (person, random) =>
    person.sex === 'F' ? withOtherInitial(person, random) : null,
  'day and month of birth exchanged, employer': (person) => {
    const [year, month, day] = person.filed.birth.split('-');
    if (!person.employer || month === day || Number(day) > 12) return null;
    return { filed: { ...person.filed, birth: `${year}-${day}-${month}` } };
  },
  'suffix missing, day of birth': (person) =>
    person.filed.suffix ? { filed: { ...person.filed, suffix: '' } } : null,
  'another unit, day of birth': ({ home }, random) =>
    home.unit
      ? { home: { ...home, unit: String(Number(home.unit) + random.between(1, 20)) } }
      : null,
};

/** Changes that replace the person by a relative who is not in the first list. */
const RELATIVES: Record<string, Change> = {
  'son with the same name': (person, random) =>
    person.sex === 'M'
      ? toRelative(person, random, { birth: drawBirth(random, 1985, 2005) })
      : null,
  'son with the same name and Jr': (person, random) =>
    person.sex === 'M'
      ? toRelative(person, random, { suffix: 'Jr', birth: drawBirth(random, 1985, 2005) })
      : null,
  'relative with another middle initial': (person, random) => {
    const middle = drawOtherInitial(person, random);
    return middle ? toRelative(person, random, { middle }) : null;
  },
  twin: (person, random) =>
    toRelative(person, random, {
      first: drawFirstOfSex(random, person.sex, person.first),
      birth: person.birth,
    }),
  spouse: (person, random) => {
    const sex = person.sex === 'F' ? 'M' : 'F';
    return toRelative(person, random, { sex, first: drawFirstOfSex(random, sex, person.first) });
  },
};

export interface SecondSourceSize {
  same: number;
  wrongDetails: number;
  relatives: number;
  strangers: number;
}

export function drawSecondSource(people: Person[], size: SecondSourceSize, random: Random) {
  const rows: SecondRow[] = [];
  const unused = random.shuffle(people);
  function take(changes: Record<string, Change>, kind: string, isSame: boolean): boolean {
    const at = unused.findIndex((person) => changes[kind]?.(person, random));
    const [person] = at === -1 ? [] : unused.splice(at, 1);
    const change = person && changes[kind]?.(person, random);
    if (!change) return false;
    const row = { ...person, ...change, key: `b${rows.length + 1}` };
    rows.push({ kind, row, same: isSame ? person.key : null, beside: person.key });
    return true;
  }
  for (const kind of Object.keys(WRONG_DETAILS)) {
    for (let index = 0; index < size.wrongDetails; index++) {
      if (!take(requireBirth(WRONG_DETAILS), kind, true)) break;
    }
  }
  for (let index = 0; index < size.relatives; index++) {
    take(RELATIVES, pickInTurn(Object.keys(RELATIVES), index), false);
  }
  for (let index = 0; index < size.same; index++) {
    take(VARIATIONS, pickInTurn(Object.keys(VARIATIONS), index), true);
  }
  for (let index = 0; index < size.strangers; index++) {
    const row = drawPerson(random, `b${rows.length + 1}`);
    rows.push({ kind: 'stranger', row, same: null, beside: null });
  }
  return rows;
}

export const WRONG_DETAIL_KINDS = Object.keys(WRONG_DETAILS);

function withOtherInitial(person: Person, random: Random): Partial<Person> | null {
  const middle = drawOtherInitial(person, random);
  return middle ? { filed: { ...person.filed, middle } } : null;
}

/**
 * Limits changes to people whose date of birth is in the first list. Removes the employer, so that the match depends on
 * the date of birth.
 */
function requireBirth(changes: Record<string, Change>): Record<string, Change> {
  return Object.fromEntries(
    Object.entries(changes).map(([kind, change]) => [
      kind,
      (person: Person, random: Random) => {
        const found = person.filed.birth.length === 10 ? change(person, random) : null;
        return found && (kind.endsWith('day of birth') ? { employer: '', ...found } : found);
      },
    ]),
  );
}

function toRelative(person: Person, random: Random, fixed: Partial<Person>): Partial<Person> {
  const { home, last, special, sex, first } = person;
  const relative = drawPerson(random, '', {
    home,
    last,
    special,
    sex,
    first,
    suffix: '',
    birth: drawBirth(random, 1935, 1998),
    ...fixed,
  });
  return relative;
}

function pickInTurn(list: string[], index: number): string {
  return list[index % list.length] ?? '';
}
