/** Stores the statuses that runs wrote to the CRM, and finds outdated statuses. */
import { type RawBuilder, sql } from 'kysely';
import { move } from '../../contacts/life/apply-events.ts';
import { getOutcome, isOutcomeReason, type OutcomeReason } from '../../core/outcome.ts';
import { isSyncStatus, type SyncStatus } from '../../core/sync-status.ts';
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches } from '../../database/rows.ts';
import type { ContactState } from '../../database/tables/contacts.ts';
import { MAY_BE_LOST } from '../../database/tables/fields.ts';
import { closeWrites, type FieldEnd } from './field-end.ts';

export interface StatusRow {
  crmId: string;
  state: ContactState;
  reason: OutcomeReason | null;
  reasonAt: number;
  enhancedAt: number | null;
  /** JSON with the fingerprint of donor-sync's last value in each field. */
  ownedValues: string;
  inCrm: SyncStatus | null;
  /** True if the last status was written to the same fields. */
  isSamePlace: boolean;
  /**
   * True if the contact or the field was missing in between. After this, only the CRM record shows whether it contains
   * the status.
   */
  mayBeLost: boolean;
  /** The state that is stored together with the result. */
  seen: string;
}

/** The result of writing the status of a contact. */
export interface StatusEnd extends Pick<StatusRow, 'crmId' | 'seen'> {
  status: SyncStatus | null;
  /** The result of the write. Null if nothing was written. */
  written: FieldEnd | null;
}

export interface StatusScope {
  place: string;
  after: string | null;
  limit: number;
  only: readonly string[] | null;
}

/** Returns contacts whose status in the CRM may be outdated, by ID. */
export async function listStaleStatuses(
  reader: Reader,
  integrationId: string,
  { place, after, limit, only }: StatusScope,
): Promise<StatusRow[]> {
  const seen: RawBuilder<string> = sql`cast(${place} as text) || ' ' || c.state || ' '
    || case when c.enhanced_at is null then 'new' else 'enhanced' end || ' ' || c.outcome_reason`;
  let query = reader
    .selectFrom('contacts as c')
    .leftJoin('contact_statuses as s', (join) =>
      join.onRef('s.integration_id', '=', 'c.integration_id').onRef('s.crm_id', '=', 'c.crm_id'),
    )
    .select(['c.crm_id', 'c.state', 'c.outcome_reason', 'c.outcome_at', 'c.enhanced_at'])
    .select(['c.owned_values', 's.status', 's.seen as seen_before', seen.as('seen')])
    .where('c.integration_id', '=', integrationId)
    .where('c.state', '<>', 'removed')
    .where((eb) => eb.or([eb('s.seen', 'is', null), eb('s.seen', '<>', seen)]))
    .orderBy('c.crm_id')
    .limit(limit);
  if (after !== null) query = query.where('c.crm_id', '>', after);
  if (only !== null) query = query.where('c.crm_id', 'in', only);
  const rows = await query.execute();
  return rows.map((row) => ({
    crmId: row.crm_id,
    state: row.state,
    reason: isOutcomeReason(row.outcome_reason) ? row.outcome_reason : null,
    reasonAt: row.outcome_at,
    enhancedAt: row.enhanced_at,
    ownedValues: row.owned_values,
    inCrm: row.status !== null && isSyncStatus(row.status) ? row.status : null,
    isSamePlace: row.seen_before?.startsWith(`${place} `) ?? false,
    mayBeLost: row.seen_before === MAY_BE_LOST,
    seen: row.seen,
  }));
}

export async function lookAtStatusesAgain(trx: RunTransaction): Promise<void> {
  await trx
    .updateTable('contact_statuses')
    .set({ seen: MAY_BE_LOST })
    .where('integration_id', '=', trx.lease.integrationId)
    .execute();
}

/** Records the written statuses and the values that donor-sync now owns. */
export async function recordStatuses(
  trx: RunTransaction,
  runId: string,
  ends: readonly StatusEnd[],
): Promise<void> {
  const { integrationId } = trx.lease;
  const written = ends.flatMap(({ crmId, written: end }) =>
    end === null ? [] : [{ crmId, ...end }],
  );
  const owned = written.flatMap(({ crmId, owned: values }) =>
    values === null ? [] : [{ crm_id: crmId, owned_values: JSON.stringify(values) }],
  );
  // If a write failed for a temporary reason, the next run tries it again.
  const settled = ends.filter(({ written: end }) => end === null || !isPassing(end));
  for (const batch of inBatches(settled)) {
    await trx
      .insertInto('contact_statuses')
      .values(
        batch.map(({ crmId, seen, status }) => ({
          integration_id: integrationId,
          crm_id: crmId,
          seen,
          status,
        })),
      )
      .onConflict((c) =>
        c.columns(['integration_id', 'crm_id']).doUpdateSet((eb) => ({
          seen: eb.ref('excluded.seen'),
          status: eb.ref('excluded.status'),
        })),
      )
      .execute();
  }
  await move(trx, trx.lease, 'valuesWritten', owned, { id: runId, now: trx.clock.now() });
  await closeWrites(trx, written);
}

/** True after a temporary failure of the CRM. */
function isPassing({ reason }: FieldEnd): boolean {
  return getOutcome(reason) === 'waiting';
}
