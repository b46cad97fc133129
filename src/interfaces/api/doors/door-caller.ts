/** Creates the callers of operations that a CRM requests. */
import type { Actor } from '../../../core/actor.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import type { ClientAccess } from '../../../people/statements/client-access.ts';
import type { PersonRecord } from '../../../people/statements/people.ts';

/** The caller's name and address for the audit. The name is the CRM or its user, such as `HubSpot, user 12`. */
export interface AtDoor {
  integrationId: string;
  /** The name that is recorded in the audit. */
  name: string;
  /** The address of the call. */
  from: string;
}

/** Creates the caller for a CRM. The caller has the viewer role. The door's operations define further permissions. */
export function crmAtDoor({ integrationId, name, from }: AtDoor): Caller {
  const actor: Actor = { kind: 'door', name, from };
  return { kind: 'token', role: 'viewer', clients: new Set([integrationId]), account: null, actor };
}

/**
 * Creates the caller for a linked user, with the user's own rights, limited to one client. The account is the same as
 * in donor-sync, so a user cannot confirm their own request. Returns null if the user has no access, is disabled or is
 * only invited.
 */
export function userAtDoor(
  { integrationId, from }: AtDoor,
  person: Pick<PersonRecord, 'id' | 'role' | 'integrations' | 'disabledAt' | 'joinedAt'>,
  name: string,
): Caller | null {
  if (person.disabledAt !== null || person.joinedAt === null) return null;
  if (!reaches(person.integrations, integrationId)) return null;
  return {
    kind: 'person',
    role: person.role,
    clients: new Set([integrationId]),
    account: { kind: 'person', id: person.id, name },
    actor: { kind: 'door', name, from },
    isProven: false,
  };
}

function reaches(access: ClientAccess, integrationId: string): boolean {
  return access === null || access.includes(integrationId);
}
