/** Defines how the service treats real organisations. */

import type { BodyKind } from '../donor.ts';
import type { EntityType } from './entity-type.ts';
import type { TieKind } from './formula.ts';

/**
 * The minimum size of each kind of organisation at any time, by kind of person. The public record contains only people
 * who later became judges or members of Congress. Without this minimum, two officers of one army would look like
 * members of a tiny group. The record of courts is complete, so it needs no minimum.
 */
const LEAST_SIZES = {
  school: 2_000,
  law_school: 400,
  court: 0,
  government: 200,
  local_government: 200,
  state_government: 500,
  federal_government: 1_000,
  prosecutor: 30,
  public_defender: 30,
  legislature: 100,
  congress_office: 15,
  committee: 25,
  military: 100_000,
  nonprofit: 20,
  company: 100,
  other: 100,
} satisfies Record<BodyKind, number>;

/** The minimum number of seats on a board, council or commission. */
const LEAST_BOARD = 9;

/** Returns the minimum number of people of a kind in an organisation at any time. */
export function leastSizeOf(body: BodyKind, kind: TieKind): number {
  const isBoard = kind === 'board' && body !== 'committee';
  return isBoard ? LEAST_BOARD : LEAST_SIZES[body];
}

/**
 * Returns the type of an organisation. The service has three types. For people who work or serve in a public
 * organisation, its type is company. Its boards, committees and commissions have the type nonprofit.
 */
export function entityTypeOf(body: BodyKind, kind: TieKind): EntityType {
  if (body === 'school' || body === 'law_school') return 'school';
  if (body === 'company') return 'company';
  return kind === 'board' || body === 'nonprofit' || body === 'committee' ? 'nonprofit' : 'company';
}
