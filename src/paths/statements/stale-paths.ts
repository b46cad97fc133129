/** Finds the warm paths that may have changed since donor-sync last computed them. */
import type { ExpressionBuilder } from 'kysely';
import { z } from 'zod';
import type { Lease } from '../../database/leases.ts';
import { inBatches } from '../../database/rows.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';

/** The data on which warm paths depend, without the contacts. */
export interface PathScope {
  /** The fingerprint of the settings for paths and their fields. */
  settings: string;
  /** Donor IDs of the members, by the service's network ID. */
  members: Members;
  /**
   * The age limit of paths (epoch ms). Paths that were computed before this time are computed again. Null for no limit.
   */
  computedBefore: number | null;
}

/** Donor IDs of members, by the service's network ID. */
export type Members = Readonly<Record<string, readonly string[]>>;

/** The donors who joined and left the networks, by ID. */
interface MemberChanges {
  joined: ReadonlySet<string>;
  left: ReadonlySet<string>;
}

/** Marks the paths that may have changed, adds contacts without a path, and records the scope. */
export async function markStale(
  trx: Trx,
  { integrationId, epoch }: Lease,
  scope: PathScope,
): Promise<void> {
  const before = await findScope(trx, integrationId);
  const isOtherScope = before === null || before.settings !== scope.settings;
  const { joined, left } = memberChanges(before?.members ?? {}, scope.members);
  if (isOtherScope) await markAll(trx, integrationId, { told: null });
  if (joined.size > 0) await markAll(trx, integrationId, {});
  else await markConnectedTo(trx, integrationId, [...left]);
  const since = isOtherScope ? null : before.lookedEpoch;
  await markEnhanced(trx, integrationId, since);
  await markOld(trx, integrationId, scope.computedBefore);
  await takeUpContacts(trx, integrationId, since);
  await saveScope(trx, integrationId, scope, epoch);
}

const membersSchema = z.record(z.string(), z.array(z.string()));

/**
 * Compares memberships by network. Returns the donors who have joined or left at least one network. A pure function.
 */
function memberChanges(before: Members, after: Members): MemberChanges {
  return { joined: missingFrom(before, after), left: missingFrom(after, before) };
}

/** Returns the members in `these` networks who are not in the same network in `those`. */
function missingFrom(those: Members, these: Members): Set<string> {
  const missing = new Set<string>();
  for (const [networkId, donorIds] of Object.entries(these)) {
    const known = new Set(those[networkId]);
    for (const donorId of donorIds) if (!known.has(donorId)) missing.add(donorId);
  }
  return missing;
}

/** Returns an integration's last recorded scope, or null if no scope was recorded. */
export async function findScope(trx: Trx, integrationId: string) {
  const row = await trx
    .selectFrom('warm_path_scopes')
    .select(['settings', 'members', 'looked_epoch'])
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
  if (!row) return null;
  const members = membersSchema.parse(JSON.parse(row.members));
  return { settings: row.settings, members, lookedEpoch: row.looked_epoch };
}

async function saveScope(
  trx: Trx,
  integrationId: string,
  { settings, members: byNetwork }: PathScope,
  epoch: number,
): Promise<void> {
  const looked = { settings, members: JSON.stringify(byNetwork), looked_epoch: epoch };
  await trx
    .insertInto('warm_path_scopes')
    .values({ integration_id: integrationId, ...looked })
    .onConflict((c) => c.column('integration_id').doUpdateSet(looked))
    .execute();
}

async function markAll(trx: Trx, integrationId: string, changes: { told?: null }): Promise<void> {
  await trx
    .updateTable('warm_paths')
    .set({ stale: 1, ...changes })
    .where('integration_id', '=', integrationId)
    .execute();
}

/**
 * Marks the donors' own paths as stale. Also marks paths that lead, or may lead, to a network through one of the
 * donors.
 */
export async function markConnectedTo(
  trx: Trx,
  integrationId: string,
  donorIds: readonly string[],
): Promise<void> {
  for (const batch of inBatches(donorIds)) {
    await trx
      .updateTable('warm_paths')
      .set({ stale: 1 })
      .where('integration_id', '=', integrationId)
      .where((eb) =>
        eb.or([
          eb('donor_id', 'in', batch),
          eb('introducer_id', 'in', batch),
          eb.and([eb('introducer_id', 'is not', null), eb('connecting', 'is', null)]),
          ...batch.map((donorId) => isConnecting(eb, donorId)),
        ]),
      )
      .execute();
  }
}

/** True if a path leads through a donor. A wildcard in the ID could only cause an additional match. */
export function isConnecting(eb: ExpressionBuilder<Tables, 'warm_paths'>, donorId: string) {
  return eb('connecting', 'like', `%${JSON.stringify(donorId)}%`);
}

async function markEnhanced(trx: Trx, integrationId: string, since: number | null): Promise<void> {
  await trx
    .updateTable('warm_paths')
    .from('contacts')
    .set((eb) => ({
      stale: 1,
      told: null,
      donor_id: eb.fn.coalesce('contacts.donor_id', 'warm_paths.donor_id'),
    }))
    .where('warm_paths.integration_id', '=', integrationId)
    .whereRef('contacts.integration_id', '=', 'warm_paths.integration_id')
    .whereRef('contacts.crm_id', '=', 'warm_paths.crm_id')
    .where((eb) =>
      eb.or([
        eb('contacts.donor_id', '<>', eb.ref('warm_paths.donor_id')),
        eb.and([
          eb('warm_paths.stale', '=', 0),
          eb('contacts.enhanced_at', '>', eb.ref('warm_paths.computed_at')),
        ]),
      ]),
    )
    .$if(since !== null, (query) =>
      query.where('warm_paths.crm_id', 'in', touchedSince(trx, integrationId, since ?? 0)),
    )
    .execute();
}

/** Returns the CRM IDs of the contacts that these runs have processed. Reads no other contacts. */
function touchedSince(trx: Trx, integrationId: string, epoch: number) {
  return trx
    .selectFrom('contacts as touched')
    .select('touched.crm_id')
    .where('touched.integration_id', '=', integrationId)
    .where('touched.outcome_run', 'in', runsSince(trx, integrationId, epoch));
}

/**
 * Selects the runs from this epoch on. Every change that gives a contact a donor or a profile also records its run.
 * Therefore, contacts that none of these runs has processed have not changed.
 */
function runsSince(trx: Trx, integrationId: string, epoch: number) {
  return trx
    .selectFrom('runs')
    .select('runs.id')
    .where('runs.integration_id', '=', integrationId)
    .where('runs.epoch', '>=', epoch);
}

async function markOld(
  trx: Trx,
  integrationId: string,
  computedBefore: number | null,
): Promise<void> {
  if (computedBefore === null) return;
  await trx
    .updateTable('warm_paths')
    .set({ stale: 1, told: null })
    .where('integration_id', '=', integrationId)
    .where('stale', '=', 0)
    .where('computed_at', '<', computedBefore)
    .execute();
}

async function takeUpContacts(
  trx: Trx,
  integrationId: string,
  since: number | null,
): Promise<void> {
  await trx
    .insertInto('warm_paths')
    .columns(['integration_id', 'crm_id', 'donor_id', 'stale', 'computed_at'])
    .expression((eb) =>
      eb
        .selectFrom('contacts')
        .select((inner) => [
          'integration_id',
          'crm_id',
          inner.fn.coalesce('donor_id', inner.val('')).as('donor_id'),
          inner.lit(1).as('stale'),
          inner.lit(0).as('computed_at'),
        ])
        .where('integration_id', '=', integrationId)
        .where('donor_id', 'is not', null)
        .where('state', '<>', 'removed')
        .$if(since !== null, (query) =>
          query.where('outcome_run', 'in', runsSince(trx, integrationId, since ?? 0)),
        )
        .where((inner) =>
          inner.not(
            inner.exists(
              inner
                .selectFrom('warm_paths')
                .select('warm_paths.crm_id')
                .whereRef('warm_paths.integration_id', '=', 'contacts.integration_id')
                .whereRef('warm_paths.crm_id', '=', 'contacts.crm_id'),
            ),
          ),
        ),
    )
    .execute();
}
