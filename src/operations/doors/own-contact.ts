/** A CRM may query only its client's own contacts. */
import { type ContactRecord, findContacts } from '../../contacts/contacts.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { unknownContact } from '../../core/shared-errors.ts';
import { listBlockedContacts } from '../../privacy/statements/blocks.ts';
import { openCrm } from '../../sync/control/crm-account.ts';
import { lookUp } from '../../sync/control/look-up.ts';
import { findOutside } from '../../sync/guards/filter.ts';
import type { ActingWorld } from '../kit/operation.ts';

type Looking = Pick<ActingWorld, 'application' | 'reader' | 'fingerprint' | 'signal'>;

/** Belongs to the client. */
export interface OwnContact {
  /** The contact's ID in canonical form. */
  crmId: string;
  /** Null if no run has read it or it was erased. */
  record: ContactRecord | null;
  isErased: boolean;
  /** A run found the contact outside `contacts.filter`. No run would enhance it. */
  isOutside: boolean;
}

/**
 * Unknown contacts are looked up in the CRM with the filter. Throws a ConfigurationError (unknown) for others, or the
 * CRM's error.
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

/** The CRM has the contact and the filter includes it. */
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
