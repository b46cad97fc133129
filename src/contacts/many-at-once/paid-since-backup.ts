/** Holds contacts that may have been paid for after the backup that the database was restored from. */
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches, inFilledBatches } from '../../database/rows.ts';
import { move, moveAndList } from '../life/apply-events.ts';
import { findOpenBatch } from './questions.ts';

/** The kind of question about them. */
export const PAID_SINCE_BACKUP = 'paid_since_backup';

/** When a user last decided to buy these contacts anyway (epoch ms), by CRM ID. */
export async function findBought(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const batch of inFilledBatches(crmIds)) {
    const rows = await reader
      .selectFrom('questions')
      .select('crm_id')
      .select((eb) => eb.fn.max('decided_at').as('at'))
      .where('integration_id', '=', integrationId)
      .where('kind', '=', PAID_SINCE_BACKUP)
      .where('decision', '=', 'approved')
      .where('crm_id', 'in', batch)
      .groupBy('crm_id')
      .execute();
    for (const { crm_id, at } of rows) found.set(crm_id ?? '', Number(at));
  }
  return found;
}

/**
 * Holds these contacts if they are due or have lost their job. All of them are in one batch, which
 * later contacts join while it is open. Resolves with the IDs of the held contacts.
 */
export async function holdMaybePaid(
  trx: RunTransaction,
  { runId, newId }: { runId: string; newId: () => string },
  crmIds: readonly string[],
): Promise<string[]> {
  if (crmIds.length === 0) return [];
  const { lease } = trx;
  const { integrationId } = lease;
  const now = trx.clock.now();
  const batch = (await findOpenBatch(trx, integrationId, PAID_SINCE_BACKUP)) ?? newId();
  const held: string[] = [];
  for (const portion of inBatches(crmIds)) {
    const moved = await moveAndList(trx, lease, 'maybePaid', portion, { id: runId, now });
    if (moved.length === 0) continue;
    await trx
      .insertInto('questions')
      .values(
        moved.map(({ crm_id }) => {
          const id = newId();
          return {
            id,
            integration_id: integrationId,
            crm_id,
            kind: PAID_SINCE_BACKUP,
            // It belongs to no job: nothing was sent.
            tracking_id: id,
            batch,
            opened_at: now,
          } as const;
        }),
      )
      .execute();
    held.push(...moved.map(({ crm_id }) => crm_id));
  }
  return held;
}

/** Contacts that left before their job was lost count as paid for, too, in case they return. */
export async function countAwayAsPaid(
  trx: RunTransaction,
  runId: string,
  crmIds: readonly string[],
): Promise<void> {
  const rows = crmIds.map((crm_id) => ({ crm_id }));
  await move(trx, trx.lease, 'maybePaidAway', rows, { id: runId, now: trx.clock.now() });
}
