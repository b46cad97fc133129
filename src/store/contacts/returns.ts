import type { Lease } from '../engine/leases.ts';
import { portions } from '../engine/rows.ts';
import type { Trx } from '../engine/tables.ts';
import type { RunMoment } from '../runs/runs.ts';
import type { ContactRow } from './contacts.ts';
import type { ReadContact } from './decisions.ts';

/** Contacts that are back: the hold that they left is open again, or their profile is ready. */
export async function resume(
  trx: Trx,
  lease: Lease,
  run: RunMoment,
  contacts: readonly ReadContact[],
): Promise<void> {
  for (const portion of portions(contacts.map(({ crmId }) => crmId))) {
    const back = await trx
      .updateTable('contacts')
      .set({
        state: 'ready',
        eligible: 1,
        outcome_reason: 'delivery_pending',
        outcome_run: run.id,
        outcome_at: run.now,
        outcome_detail: null,
        seen_run: run.id,
      })
      .where('integration_id', '=', lease.integrationId)
      .where('crm_id', 'in', portion)
      .returning('tracking_id')
      .execute();
    const trackingIds = back.flatMap((row) => row.tracking_id ?? []);
    if (trackingIds.length === 0) continue;
    const holds = await trx
      .updateTable('holds')
      .set({ decision: null, decided_at: null })
      .where('integration_id', '=', lease.integrationId)
      .where('decision', '=', 'superseded')
      .where('id', 'in', trackingIds)
      .returning(['tracking_id', 'kind', 'detail'])
      .execute();
    for (const { tracking_id, kind, detail } of holds) {
      await trx
        .updateTable('contacts')
        .set({ state: 'held', outcome_reason: kind, outcome_detail: detail })
        .where('integration_id', '=', lease.integrationId)
        .where('tracking_id', '=', tracking_id)
        .where('crm_id', 'in', portion)
        .execute();
    }
  }
}

/** A person approved a profile for somebody whom the CRM now calls or places otherwise. */
export async function withdrawApprovals(
  trx: Trx,
  now: number,
  contacts: readonly ContactRow[],
): Promise<void> {
  for (const portion of portions(contacts.flatMap((row) => row.tracking_id ?? []))) {
    await trx
      .updateTable('holds')
      .set({ decision: 'superseded', decided_at: now })
      .where('id', 'in', portion)
      .where('decision', '=', 'approved')
      .execute();
  }
}
