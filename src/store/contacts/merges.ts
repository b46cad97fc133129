import type { Lease } from '../engine/leases.ts';
import type { Trx } from '../engine/tables.ts';
import { newRow } from './contacts.ts';

/**
 * `asked_identity` of a contact whose profile came to it by a merge before it was ever read: its
 * first reading is what the credit was spent on.
 */
export const INHERITED = '';

/** Jobs whose profile can still be fetched: it may be on its way, or be delivered once more. */
const FETCHABLE = ['processing', 'completed', 'held', 'delivered'] as const;

/**
 * Two records of the CRM became one, and one of them has a profile: it goes to the record that
 * stays, by delivering the same job there, so that no second credit is spent. Does nothing if
 * the winner has a profile of its own, or if there is nothing to move.
 */
export async function moveProfile(
  trx: Trx,
  lease: Lease,
  run: { id: string; now: number },
  loserId: string,
  winnerId: string,
): Promise<void> {
  const loser = await findContact(trx, lease, loserId);
  const winner = await findContact(trx, lease, winnerId);
  const isTaken = winner !== undefined && winner.asked_identity !== null;
  if (loser?.asked_at == null || isTaken || winner?.state === 'submitted') return;
  const job = await trx
    .selectFrom('jobs')
    .select(['tracking_id', 'state'])
    .where('integration_id', '=', lease.integrationId)
    .where('crm_id', '=', loserId)
    .where('state', 'in', FETCHABLE)
    .orderBy('submitted_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!job) return;
  await trx
    .updateTable('jobs')
    .set({
      crm_id: winnerId,
      state: job.state === 'processing' ? 'processing' : 'completed',
      closed_at: null,
    })
    .where('tracking_id', '=', job.tracking_id)
    .execute();
  await trx
    .updateTable('contacts')
    .set({ tracking_id: null })
    .where('integration_id', '=', lease.integrationId)
    .where('crm_id', '=', loserId)
    .execute();
  const inherited = {
    state: job.state === 'processing' ? ('submitted' as const) : ('ready' as const),
    due_reason: null,
    tracking_id: job.tracking_id,
    asked_identity: winner?.identity ?? INHERITED,
    asked_at: loser.asked_at,
    donor_id: loser.donor_id,
    // A job that is too old to be fetched then does not look as if nothing had ever come of it.
    enhanced_at: loser.enhanced_at,
    seen_run: run.id,
  };
  await trx
    .insertInto('contacts')
    .values({
      ...newRow(lease.integrationId, { crmId: winnerId, identity: INHERITED }),
      ...{ eligible: 1, outcome_reason: 'delivery_pending' },
      ...{ outcome_run: run.id, outcome_at: run.now },
      ...inherited,
    })
    .onConflict((c) => c.columns(['integration_id', 'crm_id']).doUpdateSet(inherited))
    .execute();
}

function findContact(trx: Trx, lease: Lease, crmId: string) {
  return trx
    .selectFrom('contacts')
    .selectAll()
    .where('integration_id', '=', lease.integrationId)
    .where('crm_id', '=', crmId)
    .executeTakeFirst();
}
