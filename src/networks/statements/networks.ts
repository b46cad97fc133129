/** Stores the groups in the settings, their members in the CRM, and their networks at the service. */

import type { Selectable } from 'kysely';
import { move, type Which } from '../../contacts/life/apply-events.ts';
import { waitForPartnerKey } from '../../credits/statements/balances.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches } from '../../database/rows.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type NetworkRecord = FromRow<Selectable<Tables['networks']>>;

/** A group in the settings, as the database stores it. */
export interface MirroredGroup {
  id: string;
  /** The fingerprint of the selector. */
  selector: string;
  /** The name in the settings. */
  name: string;
}

/** The service's network for a group. */
export interface Binding {
  id: string;
  networkId: string;
  name: string;
  /** The fingerprint of the service key. Several integrations with the same key may want the same network. */
  partnerKey: string;
}

const selectNetworks = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('networks')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .orderBy('created_at')
    .orderBy('id')
    .compile(),
);

const wantedIn = preparedRead((db, { network }: Slots<{ network: string }>) =>
  db.selectFrom('network_wanted').select('crm_id').where('network', '=', network).compile(),
);

/** Returns the mirrored networks of an integration, oldest first. */
export function listNetworks(reader: Reader, integrationId: string): Promise<NetworkRecord[]> {
  return selectNetworks(reader, { integrationId }).then(({ rows }) => fromRows(rows));
}

/** Records the groups in the settings. The stored name of a network changes only once the service has the new name. */
export async function recordMirroredGroups(
  trx: RunTransaction,
  groups: readonly MirroredGroup[],
): Promise<void> {
  for (const { id, selector, name } of groups) {
    await trx
      .insertInto('networks')
      .values({
        id,
        integration_id: trx.lease.integrationId,
        selector,
        name,
        created_at: trx.clock.now(),
      })
      .onConflict((c) => c.column('id').doUpdateSet({ selector }))
      .execute();
    await trx
      .updateTable('networks')
      .set({ name })
      .where('id', '=', id)
      .where('network_id', 'is', null)
      .execute();
  }
}

/** Records the members of a completely read group, and moves due members to the front of the queue. */
export async function recordGroupMembers(
  trx: RunTransaction,
  runId: string,
  network: string,
  crmIds: Iterable<string>,
): Promise<void> {
  const wanted = [...new Set(crmIds)];

  await trx.deleteFrom('network_wanted').where('network', '=', network).execute();
  for (const batch of inBatches(wanted)) {
    await trx
      .insertInto('network_wanted')
      .values(
        batch.map((crmId) => ({
          network,
          integration_id: trx.lease.integrationId,
          crm_id: crmId,
        })),
      )
      .execute();
  }
  const isMember: Which = {
    is: (eb) =>
      eb('crm_id', 'in', (inner) =>
        inner.selectFrom('network_wanted').select('crm_id').where('network', '=', network),
      ),
  };
  await move(trx, trx.lease, 'joinedGroup', isMember, { now: trx.clock.now() });
  await trx
    .updateTable('networks')
    .set({ read_run: runId, read_at: trx.clock.now() })
    .where('id', '=', network)
    .execute();
}

/** Returns the CRM IDs of the groups' members at the last reading. */
export async function listWantedMembers(
  reader: Reader,
  networks: readonly string[],
): Promise<Set<string>> {
  const wanted = new Set<string>();
  for (const network of networks) {
    const { rows } = await wantedIn(reader, { network });
    for (const row of rows) wanted.add(row.crm_id);
  }
  return wanted;
}

/**
 * Records that the group now has a network at the service, with these donors as members. Returns false and changes
 * nothing if the network already belongs to a different group. Two processes may find the same network at the same
 * time.
 */
export async function bindNetwork(
  trx: RunTransaction,
  { id, networkId, name, partnerKey }: Binding,
  donorIds: readonly string[],
): Promise<boolean> {
  await waitForPartnerKey(trx, partnerKey);
  if (await isNetworkTaken(trx, networkId, id)) return false;
  await trx
    .updateTable('networks')
    .set({ network_id: networkId, name })
    .where('id', '=', id)
    .execute();
  for (const batch of inBatches(donorIds)) {
    await trx
      .insertInto('network_members')
      .values(
        batch.map((donorId) => ({
          network: id,
          donor_id: donorId,
          state: 'member' as const,
          since: trx.clock.now(),
        })),
      )
      .onConflict((c) =>
        c.columns(['network', 'donor_id']).doUpdateSet({ state: 'member', detail: null }),
      )
      .execute();
  }
  return true;
}

/** Records the network's current name at the service. */
export async function recordNetworkName(
  trx: RunTransaction,
  id: string,
  name: string,
): Promise<void> {
  await trx.updateTable('networks').set({ name }).where('id', '=', id).execute();
}

/** True if this network at the service already belongs to a different group, in any integration. */
export async function isNetworkTaken(
  reader: Reader,
  networkId: string,
  id: string,
): Promise<boolean> {
  const row = await reader
    .selectFrom('networks')
    .select('id')
    .where('network_id', '=', networkId)
    .where('id', '<>', id)
    .executeTakeFirst();
  return row !== undefined;
}
