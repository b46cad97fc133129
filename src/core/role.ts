/** What a user may do, by one word. */

/**
 * Each has the rights of those before it. A viewer reads; a decider also decides holds and sees names; an
 * admin also starts and stops runs, sets up, connects, and keeps webhooks and schedules; an owner also says
 * who the users are, and keeps tokens and keys.
 */
export const ROLES = ['viewer', 'decider', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** Whether a role has the rights of another one. */
export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** What each role is for, in a few words. */
export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  viewer: 'sees runs, credits and what is held, without names',
  decider: 'also decides what is held, and sees names for that',
  admin: 'also starts and stops runs, sets up and connects',
  owner: 'also invites users, and keeps tokens and keys',
};
