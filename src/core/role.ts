/**
 * The roles of users. Each role includes the rights of all roles before it in this list. A reader sees names and
 * profiles, which costs no credits. A decider makes decisions about contacts. An admin starts and stops runs, sets up
 * clients, and manages webhooks and schedules. An owner manages users, tokens and keys.
 */
export const ROLES = ['viewer', 'reader', 'decider', 'admin', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** True if a role includes the rights of another role. */
export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The purpose of each role, in a few words. */
export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  viewer: 'sees runs, credits and open decisions, without names',
  reader: 'also sees names and profiles, but decides nothing',
  decider: 'also makes decisions',
  admin: 'also starts and stops runs, sets up and connects',
  owner: 'also manages users, tokens and keys',
};
