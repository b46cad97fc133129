import type { Selectable } from 'kysely';
import { move, type Which } from '../../contacts/apply-events.ts';
import type { Clock } from '../../core/clock.ts';
import { waitForPartnerKey } from '../../credits/statements/balances.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { Checkpoint, Lease } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { inBatches } from '../../database/rows.ts';
import type { Database, Tables, Trx } from '../../database/tables/tables.ts';

export type NetworkRecord = FromRow<Selectable<Tables['networks']>>;

/** A group of the settings as the store knows it. */
export interface MirroredGroup {
  id: string;
  /** Fingerprint of the selector. */
  selector: string;
  /** The name in the settings. */
  name: string;
}

/** The network of the service that a group is to have. */
export interface Binding {
  id: string;
  networkId: string;
  name: string;
  /** Fingerprint of the key, whose integrations may want the same network. */
  partnerKey: string;
}

const selectNetworks = prepared((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('networks')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .orderBy('created_at')
    .orderBy('id')
    .compile(),
);

const wantedIn = prepared((db, { network }: Slots<{ network: string }>) =>
  db.selectFrom('network_wanted').select('crm_id').where('network', '=', network).compile(),
);

/** The groups of the settings, their members in the CRM, and their networks at the service. */
export function networkQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    /** The mirrored networks of an integration, the oldest first. */
    list(integrationId: string): Promise<NetworkRecord[]> {
      return selectNetworks(db, { integrationId }).then(({ rows }) => fromRows(rows));
    },

    /** Notes groups of the settings; the name of a network changes when the service has it. */
    async recordSettings(lease: Lease, groups: readonly MirroredGroup[]): Promise<void> {
      await checkpoint(lease, async (trx) => {
        for (const { id, selector, name } of groups) {
          await trx
            .insertInto('networks')
            .values({
              id,
              integration_id: lease.integrationId,
              selector,
              name,
              created_at: clock.now(),
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
      });
    },

    /**
     * Notes the members of a group that was read to its end, and moves those who are due to the
     * front of the plan.
     */
    async recordGroup(
      lease: Lease,
      runId: string,
      network: string,
      crmIds: Iterable<string>,
    ): Promise<void> {
      const wanted = [...new Set(crmIds)];
      await checkpoint(lease, async (trx) => {
        await trx.deleteFrom('network_wanted').where('network', '=', network).execute();
        for (const batch of inBatches(wanted)) {
          await trx
            .insertInto('network_wanted')
            .values(
              batch.map((crmId) => ({
                network,
                integration_id: lease.integrationId,
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
        await move(trx, lease, 'joinedGroup', isMember, { now: clock.now() });
        await trx
          .updateTable('networks')
          .set({ read_run: runId, read_at: clock.now() })
          .where('id', '=', network)
          .execute();
      });
    },

    /** CRM ids of the members of these groups, as they were read last. */
    async listWanted(networks: readonly string[]): Promise<Set<string>> {
      const wanted = new Set<string>();
      for (const network of networks) {
        const { rows } = await wantedIn(db, { network });
        for (const row of rows) wanted.add(row.crm_id);
      }
      return wanted;
    },

    /** True if this network of the service mirrors another group, of whatever integration. */
    isTaken: (networkId: string, id: string) => isTaken(db, networkId, id),

    /**
     * The service has a network for the group now; these donors are its members already. False, with
     * nothing changed, if another group has it: two processes may have found it at the same time.
     */
    bind(
      lease: Lease,
      { id, networkId, name, partnerKey }: Binding,
      donorIds: readonly string[],
    ): Promise<boolean> {
      return checkpoint(lease, async (trx) => {
        await waitForPartnerKey(trx, partnerKey);
        if (await isTaken(trx, networkId, id)) return false;
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
                since: clock.now(),
              })),
            )
            .onConflict((c) =>
              c.columns(['network', 'donor_id']).doUpdateSet({ state: 'member', detail: null }),
            )
            .execute();
        }
        return true;
      });
    },

    /** The service knows the network by this name now. */
    async recordName(lease: Lease, id: string, name: string): Promise<void> {
      await checkpoint(lease, (trx) =>
        trx.updateTable('networks').set({ name }).where('id', '=', id).execute(),
      );
    },
  };
}

async function isTaken(db: Database | Trx, networkId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('networks')
    .select('id')
    .where('network_id', '=', networkId)
    .where('id', '<>', id)
    .executeTakeFirst();
  return row !== undefined;
}
