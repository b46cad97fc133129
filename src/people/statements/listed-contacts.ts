/** Stores users' lists of contacts that they want to keep in view. A list of contacts is its user's personal data. */
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { Reader } from '../../database/reader.ts';
import { recordEntry } from '../../privacy/audit/record.ts';

/** A user, and a contact on the user's list. */
export interface ListPlace {
  personId: string;
  integrationId: string;
  crmId: string;
}

/** Returns the contacts of a client on a user's list. */
export async function listListedContacts(
  reader: Reader,
  { personId, integrationId }: Omit<ListPlace, 'crmId'>,
): Promise<ReadonlySet<string>> {
  const rows = await reader
    .selectFrom('listed_contacts')
    .select('crm_id')
    .where('person_id', '=', personId)
    .where('integration_id', '=', integrationId)
    .execute();
  return new Set(rows.map(({ crm_id: crmId }) => crmId));
}

/** Adds a contact to a user's list. Does nothing if the list already contains the contact. */
export async function addToList(
  trx: ActorTransaction,
  { personId, integrationId, crmId }: ListPlace,
): Promise<void> {
  const added = await trx
    .insertInto('listed_contacts')
    .values({
      person_id: personId,
      integration_id: integrationId,
      crm_id: crmId,
      listed_at: trx.clock.now(),
    })
    .onConflict((c) => c.doNothing())
    .returning('crm_id')
    .executeTakeFirst();
  if (added === undefined) return;
  await recordEntry(trx, { action: 'contact.listed', integrationId, crmId });
}

/** Removes a contact from a user's list. Does nothing if the list does not contain the contact. */
export async function removeFromList(
  trx: ActorTransaction,
  { personId, integrationId, crmId }: ListPlace,
): Promise<void> {
  const removed = await trx
    .deleteFrom('listed_contacts')
    .where('person_id', '=', personId)
    .where('integration_id', '=', integrationId)
    .where('crm_id', '=', crmId)
    .returning('crm_id')
    .executeTakeFirst();
  if (removed === undefined) return;
  await recordEntry(trx, { action: 'contact.unlisted', integrationId, crmId });
}
