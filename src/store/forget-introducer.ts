import { findScope, isConnecting, markConnectedTo } from './stale-paths.ts';
import type { Trx } from './tables.ts';

/**
 * Takes the donor that a contact is out of all that is known of other contacts' paths, unless another
 * contact is the same donor. Paths that led through it are computed anew.
 */
export async function forgetIntroducer(
  trx: Trx,
  integrationId: string,
  crmId: string,
): Promise<void> {
  const donorId = await findOnlyDonor(trx, integrationId, crmId);
  if (donorId === null) return;
  await markConnectedTo(trx, integrationId, [donorId]);
  await trx
    .updateTable('warm_paths')
    // There was an introducer, so that there may be values of ours to clear.
    .set({ introducer_id: '', connecting: null })
    .where('integration_id', '=', integrationId)
    .where((eb) => eb.or([eb('introducer_id', '=', donorId), isConnecting(eb, donorId)]))
    .execute();
  const scope = await findScope(trx, integrationId);
  if (scope === null) return;
  const members = Object.entries(scope.members).map(([networkId, donorIds]) => [
    networkId,
    donorIds.filter((each) => each !== donorId),
  ]);
  await trx
    .updateTable('warm_path_scopes')
    .set({ members: JSON.stringify(Object.fromEntries(members)) })
    .where('integration_id', '=', integrationId)
    .execute();
}

/** The donor that the contact is and no other contact of the integration; null if there is none. */
async function findOnlyDonor(
  trx: Trx,
  integrationId: string,
  crmId: string,
): Promise<string | null> {
  const contacts = await trx
    .selectFrom('contacts')
    .select('donor_id')
    .where('integration_id', '=', integrationId)
    .where('donor_id', '=', (eb) =>
      eb
        .selectFrom('contacts as forgotten')
        .select('forgotten.donor_id')
        .where('forgotten.integration_id', '=', integrationId)
        .where('forgotten.crm_id', '=', crmId),
    )
    .limit(2)
    .execute();
  return contacts.length === 1 ? (contacts[0]?.donor_id ?? null) : null;
}
