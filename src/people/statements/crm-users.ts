/** The links between CRM users and donor-sync users. */
import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Reader } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';

export type CrmUserRecord = FromRow<Selectable<Tables['crm_users']>>;

/** Returns the link of this CRM user, or undefined if the CRM user has no link. */
export function findCrmUser(
  reader: Reader,
  fingerprint: string,
): Promise<CrmUserRecord | undefined> {
  return reader
    .selectFrom('crm_users')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
    .then(maybeFromRow);
}

/** Returns the links of a user, the oldest first. */
export function listCrmUsers(reader: Reader, personId: string): Promise<CrmUserRecord[]> {
  return reader
    .selectFrom('crm_users')
    .selectAll()
    .where('person_id', '=', personId)
    .orderBy('linked_at')
    .orderBy('id')
    .execute()
    .then(fromRows);
}

/** Links a CRM user to a user. A CRM user can act for only one user, so an existing link of the CRM user is deleted. */
export async function saveCrmUser(
  trx: ActorTransaction,
  { id, personId, fingerprint, sealed }: Omit<CrmUserRecord, 'linkedAt'>,
  kind: string,
): Promise<void> {
  await trx.deleteFrom('crm_users').where('fingerprint', '=', fingerprint).execute();
  await trx
    .insertInto('crm_users')
    .values({ id, person_id: personId, fingerprint, sealed, linked_at: trx.clock.now() })
    .execute();
  await recordEntry(trx, {
    action: 'crm_user.linked',
    details: { person: personId, link: id, crm: kind },
  });
}

/** Deletes a user's own link. Returns false if the user does not have this link. */
export async function deleteCrmUser(
  trx: ActorTransaction,
  personId: string,
  id: string,
): Promise<boolean> {
  const gone = await trx
    .deleteFrom('crm_users')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .returning('id')
    .executeTakeFirst();
  if (gone === undefined) return false;
  await recordEntry(trx, { action: 'crm_user.unlinked', details: { person: personId, link: id } });
  return true;
}
