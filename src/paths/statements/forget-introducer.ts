import type { Reader } from '../../database/reader.ts';
import type { Trx } from '../../database/tables/tables.ts';
import { findScope, isConnecting, markConnectedTo } from './stale-paths.ts';

/**
 * The `introducer_id` of a path whose introducer was erased. The mark shows that the CRM may contain values of this
 * path that must be cleared. The text of these values must not be stored anywhere, not even encrypted.
 */
export const ERASED_INTRODUCER = '';

/**
 * Removes a contact's donor from the stored paths of other contacts. Paths through this donor are computed again.
 * Resolves with the number of contacts whose CRM fields name this introducer.
 */
export async function forgetIntroducer(
  trx: Trx,
  integrationId: string,
  crmIds: readonly string[],
  donorId: string,
): Promise<number> {
  await markConnectedTo(trx, integrationId, [donorId]);
  const introduced = await trx
    .updateTable('warm_paths')
    .set({ introducer_id: ERASED_INTRODUCER, connecting: null })
    .where('integration_id', '=', integrationId)
    .where('introducer_id', '=', donorId)
    .where('crm_id', 'not in', crmIds)
    .executeTakeFirst();
  await trx
    .updateTable('warm_paths')
    .set({ connecting: null })
    .where('integration_id', '=', integrationId)
    .where((eb) => isConnecting(eb, donorId))
    .execute();
  const scope = await findScope(trx, integrationId);
  if (scope === null) return Number(introduced.numUpdatedRows);
  const members = Object.entries(scope.members).map(([networkId, donorIds]) => [
    networkId,
    donorIds.filter((each) => each !== donorId),
  ]);
  await trx
    .updateTable('warm_path_scopes')
    .set({ members: JSON.stringify(Object.fromEntries(members)) })
    .where('integration_id', '=', integrationId)
    .execute();
  return Number(introduced.numUpdatedRows);
}

/** Returns this contact's donor, or null if another contact of the integration is the same donor. */
export async function findOnlyDonor(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<string | null> {
  const contacts = await reader
    .selectFrom('contacts')
    .select(['crm_id', 'donor_id'])
    .where('integration_id', '=', integrationId)
    .where('donor_id', 'in', (eb) =>
      eb
        .selectFrom('contacts as erased')
        .select('erased.donor_id')
        .where('erased.integration_id', '=', integrationId)
        .where('erased.crm_id', 'in', crmIds),
    )
    .limit(crmIds.length + 1)
    .execute();
  if (contacts.some(({ crm_id }) => !crmIds.includes(crm_id))) return null;
  return contacts[0]?.donor_id ?? null;
}
