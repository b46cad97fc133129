/** Generates a person's name, sex, age, household and wealth rank. */

import { WORLD_YEAR } from './day.ts';
import { type Place, placeOf } from './household.ts';
import type { Sex } from './names.ts';
import { between, chance, createDraw, type Draw, gaussian } from './random.ts';
import type { WorldPlan } from './world-plan.ts';

/** A full name. `middle` is a name or an initial. `middle` is null for the many people without a middle name. */
export interface Name {
  first: string;
  middle: string | null;
  last: string;
}

/** The data from which all other data about a person is computed. */
export interface Person {
  number: number;
  sex: Sex;
  name: Name;
  /** The age in years, from 25 to 95. */
  age: number;
  birthYear: number;
  /** The wealth of the household compared with all households, in standard deviations from the median. */
  standing: number;
  place: Place;
}

/** The first number of people whom the service does not know. They live in the same country. */
export const FIRST_STRANGER = 2 ** 30;

const YOUNGEST = 25;
const OLDEST = 95;
/** The minimum age of a parent whose adult child lives at home. */
const YOUNGEST_PARENT = 52;

const SAME_SEX_SHARE = 0.04;
const SHARED_SURNAME_SHARE = 0.82;
const NAMED_AFTER_PARENT_SHARE = 0.35;
/** The influence of a person's age on the wealth rank. Older households own more than younger households. */
const STANDING_BY_AGE = 0.35;

/** The share of people who live alone and have the same name as another donor. */
const NAMESAKE_SHARE = 0.03;
/** The share of unknown people with a donor's name. A matcher must not confuse these people with a donor. */
const STRANGER_NAMESAKE_SHARE = 0.1;

export function personAt(plan: WorldPlan, number: number): Person {
  const person = bornAs(plan, number);
  const other = namesakeOf(plan, person);
  if (other === null) return person;
  const { name, sex } = bornAs(plan, other);
  return { ...person, name, sex };
}

function bornAs(plan: WorldPlan, number: number): Person {
  const place = placeOf(plan.seed, number);
  const head = headOf(plan, place);
  if (place.part === 'head') return head;
  const draw = createDraw(plan.seed, place.part, number);
  const own = { number, place };
  return place.part === 'partner'
    ? { ...partnerOf(plan, head, draw), ...own }
    : { ...childOf(plan, head, draw), ...own };
}

function headOf(plan: WorldPlan, place: Place): Person {
  const draw = createDraw(plan.seed, 'head', place.household);
  const sex = drawSex(draw);
  const name = drawName(plan, draw, sex, plan.names.last(draw));
  const byAge = gaussian(draw);
  const age = ageAt(byAge, place.parts.includes('child') ? YOUNGEST_PARENT : YOUNGEST);
  const apart = Math.sqrt(1 - STANDING_BY_AGE ** 2) * gaussian(draw);
  const standing = STANDING_BY_AGE * byAge + apart;
  return { number: place.household, sex, name, ...born(age), standing, place };
}

function partnerOf(plan: WorldPlan, head: Person, draw: Draw) {
  const sex = chance(draw, SAME_SEX_SHARE) ? head.sex : otherSex(head.sex);
  const last = chance(draw, SHARED_SURNAME_SHARE) ? head.name.last : plan.names.last(draw);
  const age = Math.round(head.age + 3.5 * gaussian(draw));
  return {
    sex,
    name: drawName(plan, draw, sex, last),
    ...born(Math.min(OLDEST, Math.max(YOUNGEST, age))),
    standing: head.standing,
  };
}

/** Returns a child in a household. Children have their own wealth rank. Some sons have their father's full name. */
function childOf(plan: WorldPlan, head: Person, draw: Draw) {
  const sex = drawSex(draw);
  const isJunior = sex === 'M' && head.sex === 'M' && chance(draw, NAMED_AFTER_PARENT_SHARE);
  const yearsBetween = between(draw, 22, Math.min(40, head.age - YOUNGEST));
  return {
    sex,
    name: isJunior ? head.name : drawName(plan, draw, sex, head.name.last),
    ...born(head.age - yearsBetween),
    standing: gaussian(draw),
  };
}

/** Returns the number of another donor whose name this person has. Returns null for most people. */
function namesakeOf(plan: WorldPlan, person: Person): number | null {
  if (person.place.parts.length > 1) return null;
  const isStranger = person.number >= FIRST_STRANGER;
  const draw = createDraw(plan.seed, 'namesake', person.number);
  if (!chance(draw, isStranger ? STRANGER_NAMESAKE_SHARE : NAMESAKE_SHARE)) return null;
  const others = isStranger ? plan.donorCount : person.number;
  return others > 0 ? between(draw, 0, others - 1) : null;
}

function drawName(plan: WorldPlan, draw: Draw, sex: Sex, last: string): Name {
  const first = plan.names.first[sex](draw);
  const middle = plan.names.first[sex](draw);
  const known = draw();
  if (known < 0.4 || middle === first) return { first, middle: null, last };
  return { first, middle: known < 0.65 ? middle.slice(0, 1) : middle, last };
}

function drawSex(draw: Draw): Sex {
  return chance(draw, 0.5) ? 'F' : 'M';
}

function otherSex(sex: Sex): Sex {
  return sex === 'F' ? 'M' : 'F';
}

/** Converts a standard normal number to an age. The median is 55, and extreme ages are rare. */
function ageAt(position: number, youngest: number): number {
  const share = 1 / (1 + Math.exp(0.3 - 0.9 * position));
  return Math.round(youngest + (OLDEST - youngest) * share);
}

function born(age: number): { age: number; birthYear: number } {
  return { age, birthYear: Math.floor(WORLD_YEAR) - age };
}
