/** Generates board seats in nonprofit organisations. */

import { isoDay, WORLD_YEAR } from './day.ts';
import { nonprofitAt } from './organisation.ts';
import type { Person } from './person.ts';
import { chance, createDraw, type Draw } from './random.ts';
import type { Role } from './role.ts';
import type { Seat } from './seats.ts';
import type { WorldPlan } from './world-plan.ts';

/** The offices of a board. The people in its first seats hold them. */
const OFFICES = ['Chair', 'Treasurer', 'Secretary', 'Vice Chair'];
const LONGEST_SERVICE_YEARS = 15;
/** The minimum age of a board member. */
const YOUNGEST_MEMBER = 24;
/** The share of former board members whose seats are known. */
const FORMER_SHARE = 0.15;

/** Returns a donor's current and former board seats. */
export function boardsOf(plan: WorldPlan, person: Person): Role[] {
  const draw = createDraw(plan.seed, 'boards', person.number);
  return plan.seats.heldBy(person.number).map((seat) => serviceOn(plan, person, draw, seat));
}

function serviceOn(plan: WorldPlan, person: Person, draw: Draw, seat: Seat): Role {
  const earliest = Math.max(person.birthYear + YOUNGEST_MEMBER, WORLD_YEAR - LONGEST_SERVICE_YEARS);
  const start = earliest + draw() * (WORLD_YEAR - earliest);
  const end = start + draw() * (WORLD_YEAR - start);
  return {
    ...nonprofitAt(plan.seed, seat.board),
    title: OFFICES[seat.position] ?? 'Director',
    start: isoDay(start),
    end: chance(draw, FORMER_SHARE) ? isoDay(end) : null,
  };
}
