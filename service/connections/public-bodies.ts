/** Defines how the service treats courts, armies, parliaments and other real organisations. */

import type { BodyKind } from '../donor.ts';
import type { EntityType } from './entity-type.ts';
import type { TieKind } from './formula.ts';

/**
 * For each kind of organisation and each kind of person, the minimum number of people at any time. The public record
 * contains only people who later became judges or members of Congress. Without a minimum size, two officers of one army
 * would look like members of a tiny group. Records of courts are complete, so courts need no minimum.
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
 * Returns the type of an organisation. The service has three types. An employer or an armed force has the type company.
 * The boards, committees and commissions of public organisations have the type nonprofit.
 */
export function entityTypeOf(body: BodyKind, kind: TieKind): EntityType {
  if (body === 'school' || body === 'law_school') return 'school';
  if (body === 'company') return 'company';
  return kind === 'board' || body === 'nonprofit' || body === 'committee' ? 'nonprofit' : 'company';
}
