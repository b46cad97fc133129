/** Creates the people of the benchmark, and the details that a donor list contains about them. */

import {
  CYRILLIC_FIRST,
  drawFirstName,
  drawSurname,
  readRows,
  type Sex,
  type SpecialSurname,
} from './names.ts';
import { createWeighted, type Random } from './random.ts';

export interface Home {
  number: number;
  /** The name of the street without its type, for example `Oak`. */
  street: string;
  /** The type of street, for example `Street` or `Avenue`. */
  type: string;
  /** The apartment, or an empty text. */
  unit: string;
  city: string;
  /** The state's two-letter code. */
  state: string;
  zip: string;
}

/** A person with all details. A donor list contains only some details. */
export interface Person {
  /** The person's ID in the donor list. */
  key: string;
  sex: Sex;
  first: string;
  /** The full middle name. The text is empty if the person has no middle name. */
  middle: string;
  last: string;
  special: SpecialSurname | null;
  /** The suffix, which is `Jr`, `Sr`, `III` or empty. */
  suffix: string;
  /** The date of birth, for example `1951-03-09`. */
  birth: string;
  home: Home;
  /** The employer, or an empty text. */
  employer: string;
  /**
   * The person's details as the donor list contains them. For many people, the listed details are shorter or missing.
   */
  filed: { middle: string; suffix: string; birth: string };
}

const drawCity = createWeighted(
  readRows('cities.csv').map(([city = '', state = '', prefix = '', thousands = '']) => ({
    value: { city, state, prefix },
    weight: Number(thousands),
  })),
);

const STREETS = [
  'Oak Maple Cedar Pine Elm Walnut Chestnut Birch Willow Spruce Park Lake',
  'Hill Ridge River Spring Church Mill Union Franklin Jefferson Madison Monroe Jackson',
  'Lincoln Grant Sherman Adams Highland Forest Prospect Pleasant Meadow Orchard Valley Sunset',
  'Summit Canyon Harbor Liberty Grove College Court Market Clinton Dogwood Magnolia Sycamore',
  'Hickory Juniper Poplar Laurel Aspen Hawthorne Heather Fairview Glendale Lakeview Westwood Eastgate',
].flatMap((line) => line.split(' '));
const TYPES = ['Street', 'Avenue', 'Road', 'Drive', 'Lane', 'Court', 'Boulevard', 'Place'];
const UNIT_SHARE = 0.15;

export function drawHome(random: Random): Home {
  const { city, state, prefix } = drawCity(random);
  return {
    number: random.between(1, 9_899),
    street: random.pick(STREETS),
    type: random.pick(TYPES),
    unit: random.chance(UNIT_SHARE) ? String(random.between(1, 60)) : '',
    city,
    state,
    zip: prefix + String(random.between(1, 60)).padStart(2, '0'),
  };
}

const FIRMS = [
  'Ashgrove Bellwether Corvfell Danforth Eastlake Foxhall Granite Harborview Ironwood Juniper',
  'Keystone Lakeshore Meridian Northgate Oakmont Pinnacle Quarry Redwood Silverton Trident',
  'Upland Vanguard Westbrook Yellowstone Zephyr Blue_Ridge Cold_Spring Great_Plains High_Desert Iron_Range',
].flatMap((line) => line.split(' '));
const TRADES = [
  'Engineering Partners Hospital Foundry Logistics Capital Insurance Publishing Architects Pharmaceuticals',
  'Energy University Construction Consulting Bank Software Textiles Motors Foods Laboratories',
].flatMap((line) => line.split(' '));
const EMPLOYED_SHARE = 0.65;

export function drawEmployer(random: Random): string {
  return `${random.pick(FIRMS).replace('_', ' ')} ${random.pick(TRADES)}`;
}

/** Creates a random person. `fixed` contains details that are not random. */
export function drawPerson(random: Random, key: string, fixed: Partial<Person> = {}): Person {
  const sex = fixed.sex ?? random.pick(['F', 'M'] as const);
  const { last, special } = drawSurname(random);
  const person = {
    key,
    sex,
    first: special === 'cyrillic' ? random.pick(CYRILLIC_FIRST[sex]) : drawFirstName(random, sex),
    middle: random.chance(0.85) ? drawFirstName(random, sex) : '',
    last,
    special,
    suffix: sex === 'M' && random.chance(0.04) ? random.pick(['Jr', 'Sr', 'III']) : '',
    birth: drawBirth(random, 1935, 1998),
    home: drawHome(random),
    employer: random.chance(EMPLOYED_SHARE) ? drawEmployer(random) : '',
    ...fixed,
  };
  return { ...person, filed: fixed.filed ?? drawFiled(random, person) };
}

/** Returns a first name of this sex that starts with other letters than the given name. */
export function drawFirstOfSex(random: Random, sex: Sex, other: string): string {
  for (;;) {
    const first = drawFirstName(random, sex);
    if (first.slice(0, 2) !== other.slice(0, 2)) return first;
  }
}

export function drawBirth(random: Random, from: number, to: number): string {
  const month = String(random.between(1, 12)).padStart(2, '0');
  const day = String(random.between(1, 28)).padStart(2, '0');
  return `${random.between(from, to)}-${month}-${day}`;
}

/**
 * Returns the details that a donor list contains. The middle name is often only an initial, and the date of birth is
 * often only a year.
 */
function drawFiled(random: Random, person: Omit<Person, 'filed'>): Person['filed'] {
  const middle = random.next();
  const birth = random.next();
  return {
    middle: middle < 0.4 ? person.middle : middle < 0.8 ? person.middle.slice(0, 1) : '',
    suffix: random.chance(0.9) ? person.suffix : '',
    birth: birth < 0.5 ? person.birth : birth < 0.75 ? person.birth.slice(0, 4) : '',
  };
}

/**
 * Creates a random population of households. Of ten households, about four are couples, and one has an adult child.
 * Names occur as often as in the United States, so some people have the same name.
 */
export function drawPopulation(random: Random, size: number, prefix: string): Person[] {
  const people: Person[] = [];
  const nextKey = () => `${prefix}${people.length + 1}`;
  while (people.length < size) {
    const head = drawPerson(random, nextKey());
    people.push(head);
    const { home, last, special } = head;
    if (people.length < size && random.chance(0.4)) {
      const sex = head.sex === 'F' ? 'M' : 'F';
      const fixed = { home, sex, ...(random.chance(0.8) ? { last, special } : {}) } as const;
      people.push(drawPerson(random, nextKey(), fixed));
    }
    if (people.length < size && random.chance(0.1)) {
      const birth = drawBirth(random, 1999, 2005);
      people.push(drawPerson(random, nextKey(), { home, last, special, birth, suffix: '' }));
    }
  }
  return people;
}
