/**
 * Creates people as a contact list contains them. For each person, the right donor is known. The proportions of the
 * kinds of people are fixed. Of the contacts, 20% are exact, and 50% are spread evenly over the classes of noise. 10%
 * have moved or have a former employer, and 20% are not in the file. The variations come from lists that the matcher
 * does not use.
 */

import { drawAddress, readCities } from '../../../people/address.ts';
import { between, chance, createDraw, type Draw, pick } from '../../../people/random.ts';
import type { Address, Donor, World } from '../../../people/world.ts';
import {
  ADDED_WORDS,
  FORMER_SPELLINGS,
  NICKNAMES,
  RARE_FIRST_NAMES,
  RARE_LAST_NAMES,
  STATE_NAMES,
} from './lists.ts';

/** The kinds of variations. Half of all contacts contain one of them. */
const NOISE = [
  'double last name',
  'first and last name swapped',
  'whole name in one field',
  'middle name as first',
  'a typo in both names',
  'nickname',
  'state spelled out',
  'employer with words added',
  'other name of a public body',
] as const;

export const CLASSES = ['exact', ...NOISE, 'moved or former employer', 'not there'] as const;

type Class = (typeof CLASSES)[number];

export interface TestPerson {
  noise: Class;
  first: string;
  last: string;
  addresses: string[];
  employers: string[];
  /** The right donor, or null if the person is not in the file. */
  donor: number | null;
}

/** Creates the random people. Also returns the world, in which real people have homes too. */
export function drawPersons(world: World, invented: number, count: number) {
  const draw = createDraw(world.seed, 'matching bench', count);
  const housed = withHomes(world, invented);
  const list: TestPerson[] = [];
  for (let index = 0; index < count; index++) {
    list.push(drawPerson(draw, housed, invented, classAt(index / count, index)));
  }
  return { world: housed, list };
}

function classAt(share: number, index: number): Class {
  if (share < 0.2) return 'exact';
  if (share < 0.7) return NOISE[index % NOISE.length] ?? 'exact';
  return share < 0.8 ? 'moved or former employer' : 'not there';
}

/** Assigns fictional homes to the real people, because the public record contains no homes. */
function withHomes(world: World, invented: number): World {
  const homes = new Map<number, Address>();
  const cities = readCities();
  return {
    ...world,
    donor(number) {
      const donor = world.donor(number);
      if (number < invented) return donor;
      const home =
        homes.get(number) ??
        drawAddress(createDraw(world.seed, 'home of the record', number), cities);
      homes.set(number, home);
      return { ...donor, addresses: [home] };
    },
  };
}

function drawPerson(draw: Draw, world: World, invented: number, noise: Class): TestPerson {
  if (noise === 'not there') return drawStranger(draw, world, invented);
  for (;;) {
    const number = drawNumber(draw, world, invented, noise);
    const person = noisy(draw, world.donor(number), noise);
    if (person !== undefined) return { noise, donor: number, ...person };
  }
}

/** Chooses a random donor, who is a real person in one of six cases. Only real people work for public organisations. */
function drawNumber(draw: Draw, world: World, invented: number, noise: Class): number {
  const isReal = noise === 'other name of a public body' || chance(draw, 1 / 6);
  return isReal ? between(draw, invented, world.donorCount - 1) : between(draw, 0, invented - 1);
}

type Said = Omit<TestPerson, 'noise' | 'donor'>;

/** Returns the donor's own details, which always contain an address or an employer, and usually both. */
function plainly(draw: Draw, donor: Donor): Said {
  const [home] = donor.addresses;
  const [job] = donor.work;
  const isHomeKnown = job === undefined || chance(draw, 0.9);
  const isJobKnown = !isHomeKnown || chance(draw, 0.7);
  return {
    first: donor.name.first,
    last: donor.name.last,
    addresses: home !== undefined && isHomeKnown ? [written(home)] : [],
    employers: job !== undefined && isJobKnown ? [job.organisationName] : [],
  };
}

/**
 * Returns the donor's details with this kind of variation. Returns undefined if the noise is impossible for the donor.
 */
function noisy(draw: Draw, donor: Donor, noise: Class): Said | undefined {
  const said = plainly(draw, donor);
  const { first, middle, last } = donor.name;
  const [home] = donor.addresses;
  const [job, earlier] = donor.work;
  const atHome = home === undefined ? {} : { addresses: [written(home)] };
  switch (noise) {
    case 'double last name': {
      const other = pick(draw, RARE_LAST_NAMES);
      const separator = pick(draw, ['-', ' ']);
      const names = chance(draw, 0.5) ? [last, other] : [other, last];
      return { ...said, ...atHome, last: names.join(separator) };
    }
    case 'first and last name swapped':
      return { ...said, ...atHome, first: last, last: first };
    case 'whole name in one field': {
      const forms = [`${first} ${last}`, `${last}, ${first}`];
      if (middle !== null) forms.push(`${first} ${middle} ${last}`);
      const whole = pick(draw, forms);
      return chance(draw, 0.5)
        ? { ...said, ...atHome, first: whole, last: '' }
        : { ...said, ...atHome, first: '', last: whole };
    }
    case 'middle name as first':
      return middle === null || middle.replace('.', '').length < 2
        ? undefined
        : { ...said, ...atHome, first: middle };
    case 'a typo in both names':
      return first.length < 4 || last.length < 4
        ? undefined
        : { ...said, ...atHome, first: mistyped(draw, first), last: mistyped(draw, last) };
    case 'nickname': {
      const forms = NICKNAMES[first];
      return forms === undefined ? undefined : { ...said, ...atHome, first: pick(draw, forms) };
    }
    case 'state spelled out':
      return home === undefined ? undefined : { ...said, addresses: [spelledOut(home)] };
    case 'employer with words added':
      return job === undefined || donor.isDeceased === true
        ? undefined
        : {
            ...said,
            addresses: home === undefined ? [] : [`${home.city}, ${home.state} ${home.postalCode}`],
            employers: [`${job.organisationName} ${pick(draw, ADDED_WORDS)}`],
          };
    case 'other name of a public body': {
      const body = donor.work.find(({ organisationName }) => respelled(organisationName) !== null);
      const spelling = body === undefined ? null : respelled(body.organisationName);
      return spelling === null ? undefined : { ...said, ...atHome, employers: [spelling] };
    }
    case 'moved or former employer':
      if (chance(draw, 0.5) && earlier !== undefined && home !== undefined) {
        return { ...said, ...atHome, employers: [earlier.organisationName] };
      }
      return moved(draw, donor);
    default:
      return said;
  }
}

/**
 * Returns the details of a person who has moved: an earlier address, or a new address with the same employer. Each kind
 * of move is equally frequent.
 */
function moved(draw: Draw, donor: Donor): Said | undefined {
  const [, earlierHome] = donor.addresses;
  const [job] = donor.work;
  const { first, last } = donor.name;
  if (earlierHome !== undefined && chance(draw, 0.5)) {
    return { first, last, addresses: [written(earlierHome)], employers: [] };
  }
  if (job === undefined) return undefined;
  const address = written(drawAddress(draw, readCities()));
  return { first, last, addresses: [address], employers: [job.organisationName] };
}

/**
 * Creates a random person who is not in the file. A third of these people have rare names, and a third have a donor's
 * name but a different home. The remaining people live in the same home as a donor. These people do not work for public
 * organisations. Otherwise, a Senate employee and a senator with the same name could not be distinguished. Each person
 * has an address or an employer, because the name alone can be enough to find a fictional donor.
 */
function drawStranger(draw: Draw, world: World, invented: number): TestPerson {
  const donor = world.donor(between(draw, 0, world.donorCount - 1));
  const other = world.donor(between(draw, 0, invented - 1));
  const [home] = donor.addresses;
  const [job] = other.work;
  const isJobKnown = job !== undefined && chance(draw, 0.7);
  const elsewhere = {
    addresses: !isJobKnown || chance(draw, 0.8) ? [written(drawAddress(draw, readCities()))] : [],
    employers: isJobKnown ? [job.organisationName] : [],
  };
  const noise = 'not there';
  const kind = between(draw, 0, 2);
  if (kind === 0) {
    const name = { first: pick(draw, RARE_FIRST_NAMES), last: pick(draw, RARE_LAST_NAMES) };
    return { noise, donor: null, ...name, ...elsewhere };
  }
  if (kind === 1) {
    const { first, last } = donor.name;
    return { noise, donor: null, first, last, ...elsewhere };
  }
  const addresses = home === undefined ? [] : [written(home)];
  const first = pick(draw, RARE_FIRST_NAMES);
  return { noise, donor: null, ...elsewhere, first, last: donor.name.last, addresses };
}

function written({ street, city, state, postalCode }: Address): string {
  return `${street}, ${city}, ${state} ${postalCode}`;
}

function spelledOut({ street, city, state }: Address): string {
  return `${street}, ${city}, ${STATE_NAMES[state] ?? state}`;
}

function respelled(name: string): string | null {
  const found = FORMER_SPELLINGS.find(([pattern]) => pattern.test(name));
  return found === undefined ? null : name.replace(...found);
}

/** Drops, doubles or replaces a letter, or swaps it with the next letter. Never changes the first letter. */
function mistyped(draw: Draw, word: string): string {
  const at = between(draw, 1, word.length - 2);
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  const slips = [
    before + after,
    before + letter + letter + after,
    before + pick(draw, [...'aeioulnrst'.replace(letter, '')]) + after,
    before + after.charAt(0) + letter + after.slice(1),
  ];
  return pick(draw, slips);
}
