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

/** An unknown order is treated as omitted, because users edit addresses. */
export const userOrderSchema = z.enum(USER_ORDERS).catch('invited');

type Comparison = (one: PersonView, other: PersonView) => number;

const byName: Comparison = (one, other) => one.name.localeCompare(other.name, 'en');
const byRights: Comparison = (one, other) => ROLES.indexOf(one.role) - ROLES.indexOf(other.role);
/** A user who has never signed in is treated as last seen before all other users. */
const bySeen: Comparison = (one, other) => (one.seenAt ?? '').localeCompare(other.seenAt ?? '');

const COMPARISONS: Readonly<Record<Exclude<UserOrder, 'invited'>, Comparison>> = {
  name: byName,
  'name-backwards': (one, other) => byName(other, one),
  'most-rights': (one, other) => byRights(other, one),
  'fewest-rights': byRights,
  'seen-last': (one, other) => bySeen(other, one),
  'seen-first': bySeen,
};

/** Users with equal values keep the order in which they were invited. */
export function sortUsers(users: readonly PersonView[], order: UserOrder): PersonView[] {
  return order === 'invited' ? [...users] : users.toSorted(COMPARISONS[order]);
}
