/** Generates degrees. People of the same age group attended the same school in the same years. */

import { isoDay, WORLD_YEAR } from './day.ts';
import { SCHOOL_COUNT, schoolAt } from './organisation.ts';
import type { Person } from './person.ts';
import { between, chance, createDraw, type Draw, pick, zipfRank } from './random.ts';
import type { Role } from './role.ts';
import type { WorldPlan } from './world-plan.ts';

const COLLEGE_SHARE = 0.65;
/** The share of college graduates who have a second degree. */
const SECOND_DEGREE_SHARE = 0.3;

const FIRST_DEGREES = ['BA', 'BS'];
const SECOND_DEGREES = ['MA', 'MS', 'MBA', 'JD', 'MD', 'PhD'];
const SUBJECTS =
  'Economics,History,Biology,English,Accounting,Psychology,Chemistry,Nursing,Education,Political Science,Mathematics,Philosophy'.split(
    ',',
  );

/**
 * Returns a person's degrees. The latest degree comes first. Degree courses start at the end of August and end in May.
 */
export function educationOf(plan: WorldPlan, person: Person): Role[] {
  const draw = createDraw(plan.seed, 'education', person.number);
  if (!chance(draw, COLLEGE_SHARE)) return [];
  const entered = person.birthYear + 18;
  const title = `${pick(draw, FIRST_DEGREES)}, ${pick(draw, SUBJECTS)}`;
  const college = attend(plan, draw, title, entered, 4);
  if (!chance(draw, SECOND_DEGREE_SHARE)) return [college];
  const again = entered + 4 + between(draw, 0, 6);
  const graduateSchool = attend(plan, draw, pick(draw, SECOND_DEGREES), again, 2);
  return again + 2 < WORLD_YEAR ? [graduateSchool, college] : [college];
}

function attend(plan: WorldPlan, draw: Draw, title: string, year: number, years: number): Role {
  return {
    ...schoolAt(plan.seed, zipfRank(draw, SCHOOL_COUNT)),
    title,
    start: isoDay(year + 0.65),
    end: isoDay(year + years + 0.37),
  };
}
