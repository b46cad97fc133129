/** The roles, which are sets of rights. */

/**
 * The roles. Each has the rights of all roles before it. A viewer reads. A reader also sees names and profiles, which
 * spends nothing. A decider also decides about held contacts. An admin also starts and stops runs, sets up and connects
 * clients, and manages webhooks and schedules. An owner also manages users, tokens and keys.
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
