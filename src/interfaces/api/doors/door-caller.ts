/** Creates the callers of operations at the doors of CRMs. */
import type { Actor } from '../../../core/actor.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import type { ClientAccess } from '../../../people/statements/client-access.ts';
import type { PersonRecord } from '../../../people/statements/people.ts';

/** What a door tells the audit: the CRM or the user in it, such as `HubSpot, user 12`, and the address of the call. */
export interface AtDoor {
  integrationId: string;
  /** The name in the audit. */
  name: string;
  /** The address of the call. */
  from: string;
}

/**
 * Returns the caller for a CRM that calls for itself, for one client. It has only a viewer's role. Its door and the
 * operations of doors decide what else it may do.
 */
export function crmAtDoor({ integrationId, name, from }: AtDoor): Caller {
  const actor: Actor = { kind: 'door', name, from };
  return { kind: 'token', role: 'viewer', clients: new Set([integrationId]), account: null, actor };
}

/**
 * Returns the caller for a linked user who acts in the CRM, with the user's rights limited to one client. The account
 * is the same as in donor-sync, so nobody becomes their own second person by using a door. Returns null for a user
 * without access to the client, and for a user who is disabled or has not joined.
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
