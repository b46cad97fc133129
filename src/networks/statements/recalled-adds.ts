/** Handles donors that were added to networks between the backup and its restore. */

import { recountSpent } from '../../credits/statements/credit-spans.ts';
import type { RecalledRequest } from '../../credits/statements/journal/recall.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches, inFilledBatches } from '../../database/rows.ts';
import { UNKNOWN_BALANCE } from '../../database/tables/credits.ts';
import type { Trx } from '../../database/tables/tables.ts';

/** Returns the given bulk adds that are missing from the database. */
export async function findUnknownAdds(
  reader: Reader,
  ids: readonly string[],
): Promise<Set<string>> {
  const unknown = new Set(ids);
  for (const batch of inFilledBatches(ids)) {
    const rows = await reader
      .selectFrom('network_adds')
      .select('id')
      .where('id', 'in', batch)
      .execute();
    for (const { id } of rows) unknown.delete(id);
  }
  return unknown;
}

/** Records a bulk add that the database lacks, with its donors, and adds its cost to the bill. */
export async function recordRecalledAdd(
  trx: Trx,
  { intended, answered }: RecalledRequest,
): Promise<void> {
  const { id, integration, run, key, at, credits, subject } = intended;
  if (subject.kind !== 'networks') return;
  const mirrored = await trx
    .selectFrom('networks')
    .select('id')
    .where('integration_id', '=', integration)
    .where('network_id', '=', subject.networkId)
    .executeTakeFirst();
  await trx
    .insertInto('network_adds')
    .values({
      id,
      integration_id: integration,
      run_id: run,
      partner_key: key,
      network: mirrored?.id ?? '',
      network_id: subject.networkId,
      // The bulk add's result matters only if one of its donors will be added.
      state: 'done',
      donors: credits,
      charged: answered?.charged ?? credits,
      balance_before: UNKNOWN_BALANCE,
      job_id: answered?.jobs[id] ?? null,
      intended_at: at,
      closed_at: answered?.at ?? at,
    })
    .onConflict((c) => c.doNothing())
    .execute();
  for (const batch of inBatches(subject.donors)) {
    await trx
      .insertInto('recalled_adds')
      .values(
        batch.map((donor) => ({
          add_id: id,
          integration_id: integration,
          partner_key: key,
          network_id: subject.networkId,
          member_fingerprint: donor,
          job_id: answered?.jobs[id] ?? null,
          donors: credits,
          sent_at: at,
        })),
      )
      .onConflict((c) => c.doNothing())
      .execute();
  }
  // No later run checks the bulk add for its cost, because it was sent before that run.
  await recountSpent(trx, new Map([[integration, at]]));
}

/**
 * Adopts the bulk adds that have already paid for some of these donors. donor-sync then treats these donors as being
 * added, and the job or the network shows the result. Resolves with the number of donors.
 */
export async function takeRecalledAdds(
  trx: RunTransaction,
  { id: network, networkId }: { id: string; networkId: string },
  donorIds: readonly string[],
): Promise<number> {
  const { integrationId } = trx.lease;
  if ((await anyOfClient(trx, { integrationId })).rows.length === 0) return 0;
  const donors = new Map(donorIds.map((id) => [trx.fingerprint('introducer', id), id]));
  let taken = 0;
  for (const batch of inFilledBatches([...donors.keys()])) {
    const rows = await trx
      .deleteFrom('recalled_adds')
      .where('integration_id', '=', integrationId)
      .where('network_id', '=', networkId)
      .where('member_fingerprint', 'in', batch)
      .returningAll()
      .execute();
    for (const row of rows) {
      const state = row.job_id === null ? ('unclear' as const) : ('running' as const);
      await trx
        .insertInto('network_adds')
        .values({
          id: row.add_id,
          integration_id: integrationId,
          run_id: '',
          partner_key: row.partner_key,
          network,
          network_id: networkId,
          state,
          donors: row.donors,
          balance_before: UNKNOWN_BALANCE,
          intended_at: row.sent_at,
          job_id: row.job_id,
        })
        // The restore has already recorded this bulk add, and donor-sync may already have adopted some of its donors.
        .onConflict((c) => c.column('id').doUpdateSet({ state, network, closed_at: null }))
        .execute();
      await trx
        .insertInto('network_members')
        .values({
          network,
          donor_id: donors.get(row.member_fingerprint) ?? '',
          state: 'adding',
          add_id: row.add_id,
          since: trx.clock.now(),
        })
        .onConflict((c) => c.doNothing())
        .execute();
      taken += 1;
    }
  }
  return taken;
}

const anyOfClient = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('recalled_adds')
    .select('add_id')
    .where('integration_id', '=', integrationId)
    .limit(1)
    .compile(),
);
