/** Creates the callers for operations that CRMs request. */
import type { Actor } from '../../../core/actor.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import type { ClientAccess } from '../../../people/statements/client-access.ts';
import type { PersonRecord } from '../../../people/statements/people.ts';

/** The audit shows the CRM or its user, such as `HubSpot, user 12`, and the call's address. */
export interface AtDoor {
  integrationId: string;
  /** The name that is recorded in the audit. */
  name: string;
  /** The address of the call. */
  from: string;
}

/** The caller has a viewer's role. The door's operations decide what else is allowed. */
export function crmAtDoor({ integrationId, name, from }: AtDoor): Caller {
  const actor: Actor = { kind: 'door', name, from };
  return { kind: 'token', role: 'viewer', clients: new Set([integrationId]), account: null, actor };
}

/**
 * A linked user with their own rights, limited to one client. The account is the same as in donor-sync, so nobody can
 * confirm their own requests here. Null for a user without access, a disabled user or an invited user.
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
