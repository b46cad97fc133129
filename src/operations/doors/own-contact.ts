/** Finds contacts for CRM pages. A CRM may query only its own client's contacts. */
import { type ContactRecord, findContacts } from '../../contacts/contacts.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { unknownContact } from '../../core/shared-errors.ts';
import { listBlockedContacts } from '../../privacy/statements/blocks.ts';
import { openCrm } from '../../sync/control/crm-account.ts';
import { lookUp } from '../../sync/control/look-up.ts';
import { findOutside } from '../../sync/guards/filter.ts';
import type { ActingWorld } from '../kit/operation.ts';

type Looking = Pick<ActingWorld, 'application' | 'reader' | 'fingerprint' | 'signal'>;

/** A contact that belongs to the client. */
export interface OwnContact {
  /** The contact's ID in canonical form. */
  crmId: string;
  /** The stored contact. Null if no run has read it, or if it was erased. */
  record: ContactRecord | null;
  isErased: boolean;
  /** True if a run found that `contacts.filter` excludes the contact. No run would enhance an excluded contact. */
  isOutside: boolean;
}

/**
 * Finds a client's contact. If the database does not contain the contact, searches the CRM with the filter. Throws a
 * ConfigurationError (unknown) if the contact does not belong to the client. If the CRM cannot be read, throws its
 * error.
 */
export async function findOwnContact(
  world: Looking,
  client: Integration,
  typed: string,
): Promise<OwnContact> {
  const crmId = await world.application.contactId(client, typed);
  const blocked = await listBlockedContacts(world.reader, client.id);
  const isErased = blocked.has(world.fingerprint('forgotten', crmId));
  const found = (await findContacts(world.reader, client.id, [crmId])).get(crmId) ?? null;
  const record = isErased ? null : found;
  const isUnsure = record === null || record.state === 'removed';
  if (isUnsure && !(await isIncluded(world, client, crmId))) throw notOwn(client, crmId);
  const wasOutside = record?.outcomeReason === 'outside_filter';
  const isOutside = wasOutside && !(await isIncluded(world, client, crmId));
  return { crmId, record, isErased, isOutside };
}

export function requireInside(client: Integration, { crmId, isOutside }: OwnContact): void {
  if (isOutside) throw notOwn(client, crmId);
}

/** True if the CRM contains the contact and the filter includes it. */
async function isIncluded(
  { application, signal }: Looking,
  client: Integration,
  crmId: string,
): Promise<boolean> {
  const open = await application.open(client, signal);
  try {
    const deps = await openCrm(open.deps, null);
    const [lookup] = await lookUp(deps.connector, [crmId]);
    const outside = await findOutside(deps, { integration: client }, [crmId]);
    return lookup?.state === 'found' && !outside.has(crmId);
  } finally {
    await open.close();
  }
}

function notOwn(client: Integration, crmId: string): Error {
  const facts = { source: 'both', refusal: 'unknown' } as const;
  if (client.contacts.filter === null) return unknownContact(client.id, crmId, facts);
  const next = 'If the contact exists, `contacts.filter` in the settings excludes it.';
  return unknownContact(client.id, crmId, { ...facts, next });
}
