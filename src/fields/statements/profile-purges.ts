/** Deletes paid profiles because of their age, an opt-out or an objection. */
import { sql } from 'kysely';
import { IS_IN_DOUBT, OBJECTS } from '../../contacts/many-at-once/opt-outs.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type Lease, type RunTransaction, waitForCheckpoint } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches, ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { dropMonthsOf } from '../../privacy/statements/drop-months.ts';

export interface PurgeLimits {
  /**
   * The time before which profiles must have been paid for to be deleted (epoch ms). Null keeps profiles of any age.
   */
  paidBefore: number | null;
  /** The time before which a contact must have opted out for its profile to be deleted (epoch ms). */
  optedOutBefore: number;
  /**
   * The time since which opt-out marks are counted together (epoch ms). The row of a deleted profile is kept as long as
   * its mark counts.
   */
  countedSince: number;
  /** True if the settings keep profiles. */
  keepsAny: boolean;
}

/** The numbers of deleted profiles, by reason. */
export interface PurgedProfiles {
  old: number;
  optedOut: number;
  notKept: number;
}

type PurgeTransaction = RunTransaction | ActorTransaction;

type Work = <Result>(work: (trx: PurgeTransaction) => Promise<Result>) => Promise<Result>;

/** Deletes profiles in a run. Each batch of profiles is deleted in one transaction with an audit entry. */
export function purgeKeptProfiles(
  { reader, checkpoint }: Pick<Store, 'reader' | 'checkpoint'>,
  lease: Lease,
  limits: PurgeLimits,
): Promise<PurgedProfiles> {
  return purge(reader, (work) => checkpoint(lease, work), lease.integrationId, limits);
}

/** Deletes profiles outside a run. Also works if the client's run is in progress or has failed. */
export function purgeKeptProfilesUnattended(
  { reader, act }: Pick<Store, 'reader' | 'act'>,
  integrationId: string,
  limits: PurgeLimits,
): Promise<PurgedProfiles> {
  const inOne: Work = (work) =>
    act(async (trx) => {
      await waitForCheckpoint(trx, integrationId);
      return work(trx);
    });
  return purge(reader, inOne, integrationId, limits);
}

/** Lists the clients with profiles. Includes clients that are no longer in the settings. */
export async function listClientsWithProfiles(reader: Reader): Promise<string[]> {
  const rows = await reader
    .selectFrom('kept_profiles')
    .select('integration_id')
    .distinct()
    .orderBy('integration_id')
    .execute();
  return rows.map(({ integration_id: id }) => id);
}

async function purge(
  reader: Reader,
  inOne: Work,
  integrationId: string,
  limits: PurgeLimits,
): Promise<PurgedProfiles> {
  const { paidBefore, keepsAny } = limits;
  const emptied = await inPortions(
    (of) => listOptedOut(of, integrationId, limits, true),
    async (trx, ids) => {
      await dropMonthsOf(trx, integrationId, ids);
      await empty(trx, integrationId, ids, { donor: '' });
    },
    'profilesOptedOut',
  );
  const deleted = await inPortions(
    (of) => listOptedOut(of, integrationId, limits, false),
    async (trx, ids) => {
      await dropMonthsOf(trx, integrationId, ids);
      await deleteThese(trx, ids);
    },
    'profilesOptedOut',
  );
  await inPortions((of) => listUncounted(of, integrationId, limits), deleteThese, null);
  return {
    optedOut: emptied + deleted,
    old:
      paidBefore === null
        ? 0
        : await inPortions((of) => listOld(of, integrationId, paidBefore), deleteThese, 'profiles'),
    notKept: keepsAny
      ? 0
      : await inPortions(
          (of) => listFilled(of, integrationId),
          (trx, ids) => empty(trx, integrationId, ids, {}),
          'profiles',
        ),
  };

  /**
   * Deletes in batches. Usually, there is nothing to delete. If there is nothing to delete, nothing is written, not
   * even the lease.
   */
  async function inPortions(
    list: (of: Reader) => Promise<string[]>,
    take: (trx: PurgeTransaction, ids: readonly string[]) => Promise<void>,
    what: string | null,
  ): Promise<number> {
    if ((await list(reader)).length === 0) return 0;
    let purged = 0;
    for (let rows = ROWS_PER_TRANSACTION; rows >= ROWS_PER_TRANSACTION; purged += rows) {
      rows = await inOne(async (trx) => {
        const ids = await list(trx);
        await take(trx, ids);
        const details = { what, rows: ids.length };
        if (what !== null && ids.length > 0) {
          await recordEntry(trx, { action: 'data.purged', integrationId, details });
        }
        return ids.length;
      });
    }
    return purged;
  }

  async function deleteThese(trx: PurgeTransaction, ids: readonly string[]): Promise<void> {
    await deleteRows(trx, integrationId, ids);
  }
}

/** Returns contacts with an objection or an old enough opt-out. Skips marks that a user still has to check. */
async function listOptedOut(
  reader: Reader,
  integrationId: string,
  { optedOutBefore, countedSince }: PurgeLimits,
  isCounted: boolean,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('kept_profiles as k')
    .innerJoin('contacts as c', (join) =>
      join.onRef('c.integration_id', '=', 'k.integration_id').onRef('c.crm_id', '=', 'k.crm_id'),
    )
    .select('k.crm_id')
    .where('k.integration_id', '=', integrationId)
    .where('k.opted_out_at', 'is not', null)
    .where('k.opted_out_at', isCounted ? '>=' : '<', countedSince)
    .where('k.donor', '<>', '')
    .where('c.has_opted_out', '<>', sql.lit(0))
    .where((eb) =>
      eb.or([eb('k.opted_out_at', '<', optedOutBefore), eb('c.has_opted_out', '=', OBJECTS)]),
    )
    .where(sql<boolean>`not ${IS_IN_DOUBT}`)
    .orderBy('k.crm_id')
    .limit(ROWS_PER_TRANSACTION)
    .execute();
  return rows.map(({ crm_id }) => crm_id);
}

/** Returns rows of deleted profiles whose opt-out marks no longer count. */
async function listUncounted(
  reader: Reader,
  integrationId: string,
  { countedSince }: PurgeLimits,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('kept_profiles')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    // This condition must equal the condition of the index. With a parameter, SQLite would not use the index.
    .where('donor', '=', sql.lit(''))
    .where((eb) => eb.or([eb('opted_out_at', 'is', null), eb('opted_out_at', '<', countedSince)]))
    .limit(ROWS_PER_TRANSACTION)
    .execute();
  return rows.map(({ crm_id }) => crm_id);
}

/** True if a profile was paid for before this time (epoch ms). */
export async function hasOldProfiles(
  reader: Reader,
  integrationId: string,
  before: number,
): Promise<boolean> {
  return (await listOld(reader, integrationId, before)).length > 0;
}

async function listOld(reader: Reader, integrationId: string, before: number): Promise<string[]> {
  const rows = await reader
    .selectFrom('kept_profiles')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('kept_at', '<', before)
    .limit(ROWS_PER_TRANSACTION)
    .execute();
  return rows.map(({ crm_id }) => crm_id);
}

async function listFilled(reader: Reader, integrationId: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('kept_profiles')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('profile', '<>', '')
    .limit(ROWS_PER_TRANSACTION)
    .execute();
  return rows.map(({ crm_id }) => crm_id);
}

/**
 * Empties profiles. The rows of emptied profiles remain, so that the mark and the waiting values are still known. A
 * profile without a donor is never delivered.
 */
async function empty(
  trx: PurgeTransaction,
  integrationId: string,
  ids: readonly string[],
  more: { donor?: '' },
): Promise<void> {
  for (const batch of inFilledBatches(ids)) {
    await trx
      .updateTable('kept_profiles')
      .set({ key: '', profile: '', ...more })
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .execute();
  }
  if (more.donor !== undefined) await deleteByIds(trx, 'value_states', integrationId, ids);
}

async function deleteRows(
  trx: PurgeTransaction,
  integrationId: string,
  ids: readonly string[],
): Promise<void> {
  await deleteByIds(trx, 'value_states', integrationId, ids);
  await deleteByIds(trx, 'kept_profiles', integrationId, ids);
}

async function deleteByIds(
  trx: PurgeTransaction,
  table: 'value_states' | 'kept_profiles',
  integrationId: string,
  ids: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(ids)) {
    await trx
      .deleteFrom(table)
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .execute();
  }
}
