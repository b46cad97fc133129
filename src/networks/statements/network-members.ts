/** Stores the members of networks. */

import type { Selectable } from 'kysely';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches, inFilledBatches } from '../../database/rows.ts';
import { ERASED_MEMBER, type MemberState } from '../../database/tables/networks.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';
import { addCounts } from './network-counts.ts';

export type MemberRecord = FromRow<Selectable<Tables['network_members']>>;

/** Returns a network's donors and their states, by donor ID. `network` is the network's ID in the database. */
export function listNetworkMembers(reader: Reader, network: string): Promise<MemberRecord[]> {
  return reader
    .selectFrom('network_members')
    .selectAll()
    .where('network', '=', network)
    .orderBy('donor_id')
    .execute()
    .then(fromRows);
}

/** Returns each donor's contacts, by CRM ID. Donors without a contact are omitted. */
export async function findContactsByDonor(
  reader: Reader,
  integrationId: string,
  donorIds: readonly string[],
): Promise<Map<string, string[]>> {
  const contacts = new Map<string, string[]>();
  for (const batch of inFilledBatches(donorIds)) {
    const rows = await reader
      .selectFrom('contacts')
      .select(['crm_id', 'donor_id'])
      .where('integration_id', '=', integrationId)
      .where('donor_id', 'in', batch)
      .orderBy('crm_id')
      .execute();
    for (const { crm_id: crmId, donor_id: donorId } of rows) {
      if (donorId !== null) contacts.set(donorId, [...(contacts.get(donorId) ?? []), crmId]);
    }
  }
  return contacts;
}

/** Returns every donor of the integration's contacts, in ascending order. */
export async function listDonors(reader: Reader, integrationId: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('contacts')
    .select('donor_id')
    .distinct()
    .where('integration_id', '=', integrationId)
    .where('donor_id', 'is not', null)
    .where('state', '<>', 'removed')
    .orderBy('donor_id')
    .execute();
  return rows.flatMap((row) => row.donor_id ?? []);
}

/**
 * Returns donors that are being removed because their contact was erased. Leaves out donors that belong to another
 * contact.
 */
export async function listErasedMembers(
  reader: Reader,
  integrationId: string,
): Promise<{ network: string; networkId: string | null; donorId: string }[]> {
  return selectErased(reader, { integrationId }).then(({ rows }) => fromRows(rows));
}

/** Records which members will be removed, before the request to the service. */
export async function recordLeavingMembers(
  trx: RunTransaction,
  network: string,
  donorIds: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(donorIds)) {
    await trx
      .updateTable('network_members')
      .set({ state: 'leaving' })
      .where('network', '=', network)
      .where('donor_id', 'in', batch)
      .execute();
  }
}

/** Records which members the service has removed at donor-sync's request. */
export async function recordRemovedMembers(
  trx: RunTransaction,
  runId: string,
  network: string,
  donorIds: readonly string[],
): Promise<void> {
  await erase(trx, network, donorIds);
  await addCounts(trx, { runId, network }, { removed: donorIds.length });
}

/** Deletes stored donors of a network. If the group still wants them, they are joiners again. */
export async function dropNetworkMembers(
  trx: RunTransaction,
  network: string,
  donorIds: readonly string[],
): Promise<void> {
  await erase(trx, network, donorIds);
}

/** Records donors whose state became known without a bulk add. */
export async function recordNetworkMembers(
  trx: RunTransaction,
  network: string,
  donorIds: readonly string[],
  { state, detail }: { state: Extract<MemberState, 'member' | 'not_found'>; detail: string | null },
): Promise<void> {
  const found = { state, detail, add_id: null, since: trx.clock.now() };

  for (const batch of inBatches(donorIds)) {
    await trx
      .insertInto('network_members')
      .values(batch.map((donorId) => ({ network, donor_id: donorId, ...found })))
      .onConflict((c) => c.columns(['network', 'donor_id']).doUpdateSet(found))
      .execute();
  }
}

async function erase(trx: Trx, network: string, donorIds: readonly string[]): Promise<void> {
  for (const batch of inFilledBatches(donorIds)) {
    await trx
      .deleteFrom('network_members')
      .where('network', '=', network)
      .where('donor_id', 'in', batch)
      .execute();
  }
}

const selectErased = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('network_members')
    .innerJoin('networks', 'networks.id', 'network_members.network')
    .select(['network', 'network_id', 'network_members.donor_id'])
    .where('networks.integration_id', '=', integrationId)
    .where('network_members.state', '=', 'leaving')
    .where('network_members.detail', '=', ERASED_MEMBER)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('contacts')
            .select('contacts.crm_id')
            .whereRef('contacts.integration_id', '=', 'networks.integration_id')
            .whereRef('contacts.donor_id', '=', 'network_members.donor_id'),
        ),
      ),
    )
    .orderBy('network')
    .orderBy('network_members.donor_id')
    .compile(),
);
