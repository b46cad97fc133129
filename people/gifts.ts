/** Generates gifts to nonprofit organisations. */

import { isoDay, WORLD_YEAR } from './day.ts';
import { nonprofitAt, type Organisation } from './organisation.ts';
import type { Person } from './person.ts';
import { between, chance, createDraw, type Draw, gaussian, pick, zipfRank } from './random.ts';
import { dollarsAt } from './wealth.ts';
import type { WorldPlan } from './world-plan.ts';

/** A gift to a nonprofit organisation, in whole US dollars. */
export interface Gift {
  organisationId: string;
  organisationName: string;
  amount: number;
  date: string;
}

/** The share of people without a known gift. */
const NO_GIFTS_SHARE = 0.25;
const MAX_GIFTS = 10;
/** The maximum number of organisations to which a person gives. People give repeatedly to the same organisations. */
const MAX_RECIPIENTS = 3;
const YEARS_ON_RECORD = 12;
const YOUNGEST_GIVER = 23;
/**
 * The minimum number of organisations that receive gifts. In a small world, some of these organisations have no board.
 */
const MIN_RECIPIENT_COUNT = 40;
const SMALLEST_GIFT = 10;
const LARGEST_GIFT = 10_000_000;

/** Returns a person's gifts. The latest gift comes first. */
export function giftsOf(plan: WorldPlan, person: Person): Gift[] {
  const draw = createDraw(plan.seed, 'gifts', person.number);
  if (chance(draw, NO_GIFTS_SHARE)) return [];
  const recipients = drawRecipients(plan, draw);
  const gifts = Array.from({ length: between(draw, 1, MAX_GIFTS) }, () => ({
    ...pick(draw, recipients),
    amount: drawAmount(draw, person.standing),
    date: drawDate(draw, person.birthYear),
  }));
  return gifts.sort((a, b) => (a.date < b.date ? 1 : -1));
}

function drawRecipients(plan: WorldPlan, draw: Draw): Organisation[] {
  const count = Math.max(MIN_RECIPIENT_COUNT, plan.seats.boardCount);
  return Array.from({ length: between(draw, 1, MAX_RECIPIENTS) }, () =>
    nonprofitAt(plan.seed, zipfRank(draw, count)),
  );
}

/**
 * Returns the amount of a random gift. The average is about a two-thousandth of the net worth, and the amount is
 * rounded to a typical amount.
 */
function drawAmount(draw: Draw, standing: number): number {
  const dollars = dollarsAt(standing) * 10 ** (-3.3 + 0.5 * gaussian(draw));
  const bounded = Math.min(LARGEST_GIFT, Math.max(SMALLEST_GIFT, dollars));
  const step = 10 ** Math.floor(Math.log10(bounded));
  return bounded < 2.5 * step ? step : bounded < 5 * step ? 2.5 * step : 5 * step;
}

function drawDate(draw: Draw, birthYear: number): string {
  const earliest = Math.max(birthYear + YOUNGEST_GIVER, WORLD_YEAR - YEARS_ON_RECORD);
  return isoDay(earliest + draw() * (WORLD_YEAR - earliest));
}
