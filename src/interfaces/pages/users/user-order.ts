/** The orders of the list of users. */
import { z } from 'zod';
import { ROLES } from '../../../core/role.ts';
import type { PersonView } from '../../../people/user-accounts.ts';

const USER_ORDERS = [
  'invited',
  ...(['name', 'name-backwards'] as const),
  ...(['most-rights', 'fewest-rights'] as const),
  ...(['seen-last', 'seen-first'] as const),
] as const;

export type UserOrder = (typeof USER_ORDERS)[number];

/** The schema of the order. An unknown order counts as omitted, because users edit addresses. */
export const userOrderSchema = z.enum(USER_ORDERS).catch('invited');

type Comparison = (one: PersonView, other: PersonView) => number;

const byName: Comparison = (one, other) => one.name.localeCompare(other.name, 'en');
const byRights: Comparison = (one, other) => ROLES.indexOf(one.role) - ROLES.indexOf(other.role);
/** Users who have never signed in come before all other users. */
const bySeen: Comparison = (one, other) => (one.seenAt ?? '').localeCompare(other.seenAt ?? '');

const COMPARISONS: Readonly<Record<Exclude<UserOrder, 'invited'>, Comparison>> = {
  name: byName,
  'name-backwards': (one, other) => byName(other, one),
  'most-rights': (one, other) => byRights(other, one),
  'fewest-rights': byRights,
  'seen-last': (one, other) => bySeen(other, one),
  'seen-first': bySeen,
};

/** Sorts users. Users with equal values keep the order of their invitations. */
export function sortUsers(users: readonly PersonView[], order: UserOrder): PersonView[] {
  return order === 'invited' ? [...users] : users.toSorted(COMPARISONS[order]);
}
