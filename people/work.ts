/** Generates careers. A career consists of consecutive jobs. */

import { isoDay, WORLD_YEAR } from './day.ts';
import { COMPANY_COUNT, companyAt } from './organisation.ts';
import type { Person } from './person.ts';
import {
  between,
  chance,
  createDraw,
  type Draw,
  entryAt,
  gaussian,
  pick,
  zipfRank,
} from './random.ts';
import type { Role } from './role.ts';
import type { WorldPlan } from './world-plan.ts';

/** The share of people whose employers are all unknown. */
const NEVER_WORKED_SHARE = 0.03;
/** The median length of a job in years. The end of a career makes some jobs shorter. */
const MEDIAN_SPELL_YEARS = 4.2;
/** The spread of job lengths, as the standard deviation of their logarithm. */
const SPELL_SPREAD = 0.8;
/** The maximum number of jobs in a career. The last job lasts until the career ends. */
const MAX_SPELLS = 12;
/** The number of known jobs. They are the person's latest jobs. */
const KNOWN_SPELLS = 6;

/** The job titles of a career, from the first job to the top job. */
const LADDERS = [
  [
    'Analyst',
    'Senior Analyst',
    'Finance Manager',
    'Controller',
    'Vice President of Finance',
    'Chief Financial Officer',
  ],
  [
    'Engineer',
    'Senior Engineer',
    'Engineering Manager',
    'Director of Engineering',
    'Vice President of Engineering',
    'Chief Technology Officer',
  ],
  [
    'Sales Associate',
    'Account Executive',
    'Sales Manager',
    'Regional Director',
    'Vice President of Sales',
    'Chief Executive Officer',
  ],
  [
    'Assistant',
    'Coordinator',
    'Office Manager',
    'Operations Manager',
    'Director of Operations',
    'Chief Operating Officer',
  ],
  ['Associate', 'Senior Associate', 'Counsel', 'Senior Counsel', 'Partner', 'Managing Partner'],
  [
    'Technician',
    'Senior Technician',
    'Supervisor',
    'Plant Manager',
    'General Manager',
    'President',
  ],
  [
    'Designer',
    'Senior Designer',
    'Marketing Manager',
    'Creative Director',
    'Vice President of Marketing',
    'Founder',
  ],
];
const TOP = 5;

/**
 * Returns a person's known jobs. The latest job comes first. Returns an empty list for people who have never worked.
 */
export function workOf(plan: WorldPlan, person: Person): Role[] {
  const draw = createDraw(plan.seed, 'work', person.number);
  if (chance(draw, NEVER_WORKED_SHARE)) return [];
  const ladder = pick(draw, LADDERS);
  const luck = draw() - 0.5;
  const careerStart = person.birthYear + between(draw, 22, 24) + draw();
  const retirement = person.birthYear + between(draw, 62, 70) + draw();
  const spells = drawSpells(draw, careerStart, Math.min(retirement, WORLD_YEAR));
  return spells
    .slice(-KNOWN_SPELLS)
    .reverse()
    .map(({ start, end }) => ({
      ...companyAt(plan.seed, zipfRank(draw, COMPANY_COUNT)),
      title: entryAt(ladder, levelAt(start - careerStart, person.standing, luck)),
      start: isoDay(start),
      end: end < WORLD_YEAR ? isoDay(end) : null,
    }));
}

interface Spell {
  /** The start and the end as years with a decimal fraction. */
  start: number;
  end: number;
}

function drawSpells(draw: Draw, careerStart: number, careerEnd: number): Spell[] {
  const spells: Spell[] = [];
  let start = careerStart;
  while (start < careerEnd && spells.length < MAX_SPELLS) {
    const years = MEDIAN_SPELL_YEARS * Math.exp(SPELL_SPREAD * gaussian(draw));
    const isLast = spells.length === MAX_SPELLS - 1;
    const end = isLast ? careerEnd : Math.min(start + years, careerEnd);
    spells.push({ start, end });
    start = end + 0.3 * draw();
  }
  return spells;
}

/**
 * Returns the level of a job title. The level rises by one about every eight years. Wealthy people start at a higher
 * level.
 */
function levelAt(yearsOfWork: number, standing: number, luck: number): number {
  const level = yearsOfWork / 8 + 0.8 * standing + luck;
  return Math.min(TOP, Math.max(0, Math.floor(level)));
}
