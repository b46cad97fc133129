import type { Selectable } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Checkpoint, Lease } from './leases.ts';
import { addCounts } from './network-counts.ts';
import type { MemberState, NetworkMembersTable } from './network-tables.ts';
import { portions } from './rows.ts';
import type { Database, Trx } from './tables.ts';

export type MemberRow = Selectable<NetworkMembersTable>;

/** Who ought to be in a network, and who is. */
export interface Membership {
  /** The donors that the group's contacts are, ascending; two contacts may be one donor. */
  wanted: string[];
  members: MemberRow[];
  /** Members of the group who have no donor yet and may still get one. */
  unknown: number;
}

/** States of contacts whose profile is still to come. */
const ON_THEIR_WAY = ['due', 'submitted', 'ready'] as const;

/** Who is in a network: what the CRM wants, and what the mirror knows. */
export function networkMemberQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    /** Who ought to be in a network (by the store's id) and who is. */
    async findMembership(network: string): Promise<Membership> {
      const wanted = await wantedContacts(network)
        .select('contacts.donor_id')
        .distinct()
        .where('contacts.donor_id', 'is not', null)
        .orderBy('contacts.donor_id')
        .execute();
      const underWay = await wantedContacts(network)
        .select((eb) => eb.fn.countAll().as('count'))
        .where('contacts.donor_id', 'is', null)
        .where('contacts.state', 'in', ON_THEIR_WAY)
        .executeTakeFirst();
      const members = await db
        .selectFrom('network_members')
        .selectAll()
        .where('network', '=', network)
        .orderBy('donor_id')
        .execute();
      return {
        wanted: wanted.flatMap((row) => row.donor_id ?? []),
        members,
        unknown: Number(underWay?.count ?? 0),
      };
    },

    /** The contacts that a donor is, by CRM id; the donors that no contact is are left out. */
    async findContacts(
      integrationId: string,
      donorIds: readonly string[],
    ): Promise<Map<string, string[]>> {
      const contacts = new Map<string, string[]>();
      for (const portion of portions(donorIds)) {
        const rows = await db
          .selectFrom('contacts')
          .select(['crm_id', 'donor_id'])
          .where('integration_id', '=', integrationId)
          .where('donor_id', 'in', portion)
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
      { state, detail }: { state: Exclude<MemberState, 'adding'>; detail: string | null },
    ): Promise<void> {
      const found = { state, detail, add_id: null, since: clock.now() };
      await checkpoint(lease, async (trx) => {
        for (const portion of portions(donorIds)) {
          await trx
            .insertInto('network_members')
            .values(portion.map((donorId) => ({ network, donor_id: donorId, ...found })))
            .onConflict((c) => c.columns(['network', 'donor_id']).doUpdateSet(found))
            .execute();
        }
      });
    },
  };

  /** The contacts of a group whose donor may be in a network: not those that left or opted out. */
  function wantedContacts(network: string) {
    return db
      .selectFrom('network_wanted')
      .innerJoin('contacts', (join) =>
        join
          .onRef('contacts.integration_id', '=', 'network_wanted.integration_id')
          .onRef('contacts.crm_id', '=', 'network_wanted.crm_id'),
      )
      .where('network_wanted.network', '=', network)
      .where('contacts.state', '<>', 'removed')
      .where((eb) =>
        eb.or([eb('contacts.eligible', '=', 1), eb('contacts.outcome_reason', '<>', 'opted_out')]),
      );
  }
}

async function erase(trx: Trx, network: string, donorIds: readonly string[]): Promise<void> {
  for (const portion of portions(donorIds)) {
    await trx
      .deleteFrom('network_members')
      .where('network', '=', network)
      .where('donor_id', 'in', portion)
      .execute();
  }
}
