/** Generates the current home and earlier homes of a person. */

import { type Address, drawAddress } from './address.ts';
import type { Person } from './person.ts';
import { between, createDraw } from './random.ts';
import type { WorldPlan } from './world-plan.ts';

/** Returns the current address, which is the same for the whole household. */
export function homeOf(plan: WorldPlan, person: Person): Address {
  const draw = createDraw(plan.seed, 'home', person.place.household);
  return drawAddress(draw, plan.pickCity);
}

/** Returns up to two earlier addresses of a person. The latest address comes first. */
export function earlierHomesOf(plan: WorldPlan, person: Person): Address[] {
  const draw = createDraw(plan.seed, 'earlier homes', person.number);
  const count = between(draw, 0, 2);
  return Array.from({ length: count }, () => drawAddress(draw, plan.pickCity));
}
