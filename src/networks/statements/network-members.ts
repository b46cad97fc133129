import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { Checkpoint, Lease } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { inBatches, inFilledBatches } from '../../database/rows.ts';
import { ERASED_MEMBER, type MemberState } from '../../database/tables/networks.ts';
import type { Database, Tables, Trx } from '../../database/tables/tables.ts';
import { addCounts } from './network-counts.ts';

export type MemberRecord = FromRow<Selectable<Tables['network_members']>>;

/** Who is in a network, as far as the mirror knows. */
export function networkMemberQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    /** The donors of a network (by the store's id) with where they stand, by donor id. */
    listMembers(network: string): Promise<MemberRecord[]> {
      return db
        .selectFrom('network_members')
        .selectAll()
        .where('network', '=', network)
        .orderBy('donor_id')
        .execute()
        .then(fromRows);
    },

    /** The contacts that a donor is, by CRM id; the donors that no contact is are left out. */
    async findContacts(
      integrationId: string,
      donorIds: readonly string[],
    ): Promise<Map<string, string[]>> {
      const contacts = new Map<string, string[]>();
      for (const batch of inFilledBatches(donorIds)) {
        const rows = await db
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
    },

    /** Every donor that a contact of the integration is, ascending. */
    async listDonors(integrationId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('contacts')
        .select('donor_id')
        .distinct()
        .where('integration_id', '=', integrationId)
        .where('donor_id', 'is not', null)
        .where('state', '<>', 'removed')
        .orderBy('donor_id')
        .execute();
      return rows.flatMap((row) => row.donor_id ?? []);
    },

    /** Donors on their way out whose contact was erased and who are no other contact either. */
    async listErased(
      integrationId: string,
    ): Promise<{ network: string; networkId: string | null; donorId: string }[]> {
      return selectErased(db, { integrationId }).then(({ rows }) => fromRows(rows));
    },

    /** Puts on disk that members are to be removed, before the service is asked to. */
    async recordLeaving(lease: Lease, network: string, donorIds: readonly string[]): Promise<void> {
      await checkpoint(lease, async (trx) => {
        for (const batch of inFilledBatches(donorIds)) {
          await trx
            .updateTable('network_members')
            .set({ state: 'leaving' })
            .where('network', '=', network)
            .where('donor_id', 'in', batch)
            .execute();
        }
      });
    },

    /** Members that the service has removed at our request. */
    async recordRemoved(
      lease: Lease,
      runId: string,
      network: string,
      donorIds: readonly string[],
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        await erase(trx, network, donorIds);
        await addCounts(trx, { runId, network }, { removed: donorIds.length });
      });
    },

    /** Forgets donors of the mirror; if the group still wants them, they are joiners again. */
    async dropMembers(lease: Lease, network: string, donorIds: readonly string[]): Promise<void> {
      await checkpoint(lease, (trx) => erase(trx, network, donorIds));
    },

    /** Notes donors whose place was found out without a bulk add. */
    async recordMembers(
      lease: Lease,
      network: string,
      donorIds: readonly string[],
      {
        state,
        detail,
      }: { state: Extract<MemberState, 'member' | 'not_found'>; detail: string | null },
    ): Promise<void> {
      const found = { state, detail, add_id: null, since: clock.now() };
      await checkpoint(lease, async (trx) => {
        for (const batch of inBatches(donorIds)) {
          await trx
            .insertInto('network_members')
            .values(batch.map((donorId) => ({ network, donor_id: donorId, ...found })))
            .onConflict((c) => c.columns(['network', 'donor_id']).doUpdateSet(found))
            .execute();
        }
      });
    },
  };
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

const selectErased = prepared((db, { integrationId }: Slots<{ integrationId: string }>) =>
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
