/** Converts a donor's roles and gifts to ties. A tie has one form for roles and gifts. */

import type { Donor, Gift, Role } from '../donor.ts';
import { dayOf } from './calendar.ts';
import type { EntityType } from './entity-type.ts';
import type { TieKind } from './formula.ts';
import { entityTypeOf, leastSizeOf } from './public-bodies.ts';

/**
 * A period that a person spent with an organisation. Days are numbers (`calendar.ts`). `from` is always earlier than
 * `to`.
 */
export interface Tie {
  organisationId: string;
  organisationName: string;
  kind: TieKind;
  entityType: EntityType;
  /** The minimum size of the circle, which is used if the data contains fewer people. */
  leastSize: number;
  from: number;
  to: number;
}

/** A donor counts as a supporter for this many days after a gift. */
const DAYS_AFTER_GIFT = 365;

/**
 * Returns a donor's ties. The function merges consecutive periods of one kind in one organisation, so that it does not
 * count two posts in the same years twice. No tie ends after `today`, the day on which the data about people ends.
 */
export function tiesOf(donor: Donor, today: number): Tie[] {
  const roleTie = (kind: TieKind, role: Role) => toRoleTie(kind, role, today);
  const ties = [
    ...donor.boards.map((role) => roleTie('board', role)),
    ...donor.work.map((role) => roleTie(role.isService === true ? 'service' : 'work', role)),
    ...donor.education.map((role) => roleTie('school', role)),
    ...donor.gifts.map((gift) => toGiftTie(gift, today)),
  ];
  return mergeTouching(ties.filter(({ from, to }) => from < to));
}

function toRoleTie(kind: TieKind, role: Role, today: number): Tie {
  return {
    organisationId: role.organisationId,
    organisationName: role.organisationName,
    kind,
    entityType: role.body === undefined ? ENTITY_TYPES[kind] : entityTypeOf(role.body, kind),
    leastSize: role.body === undefined ? 0 : leastSizeOf(role.body, kind),
    from: dayOf(role.start, today),
    to: role.end === null ? today : dayOf(role.end, today),
  };
}

function toGiftTie({ organisationId, organisationName, date }: Gift, today: number): Tie {
  const from = dayOf(date, today);
  const to = Math.min(today, from + DAYS_AFTER_GIFT);
  return {
    organisationId,
    organisationName,
    kind: 'gift',
    entityType: ENTITY_TYPES.gift,
    leastSize: 0,
    from,
    to,
  };
}

/**
 * The type of a fictional organisation. The type depends on the kind of relationship that people have with the
 * organisation.
 */
const ENTITY_TYPES = {
  board: 'nonprofit',
  service: 'company',
  work: 'company',
  school: 'school',
  gift: 'nonprofit',
} satisfies Record<TieKind, EntityType>;

function mergeTouching(ties: Tie[]): Tie[] {
  const merged: Tie[] = [];
  for (const tie of ties.sort(byOrganisationAndTime)) {
    const last = merged.at(-1);
    if (last && isSameCircle(last, tie) && tie.from <= last.to) {
      last.to = Math.max(last.to, tie.to);
    } else {
      merged.push(tie);
    }
  }
  return merged;
}

function byOrganisationAndTime(a: Tie, b: Tie): number {
  if (a.organisationId !== b.organisationId) return a.organisationId < b.organisationId ? -1 : 1;
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.from - b.from;
}

function isSameCircle(a: Tie, b: Tie): boolean {
  return a.organisationId === b.organisationId && a.kind === b.kind;
}
