/** Contacts that may be a person who was erased: held before anything is sent or written. */
import { sql } from 'kysely';
import { newId } from '../../core/new-id.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import type { Lease } from '../engine/leases.ts';
import { portions } from '../engine/rows.ts';
import type { ContactState, DueReason, Trx } from '../engine/tables.ts';
import type { RunMoment } from '../runs/runs.ts';

/** The part of a hold that says whose it is. */
interface HeldContact {
  integrationId: string;
  crmId: string;
}

/** Contacts that no station has under way. */
const HOLDABLE: ContactState[] = ['settled', 'due', 'held'];

/** Holds contacts, as far as no station has them under way. */
export async function holdErased(
  trx: Trx,
  lease: Lease,
  run: RunMoment,
  crmIds: readonly string[],
): Promise<void> {
  for (const portion of portions(crmIds)) {
    await trx
      .updateTable('contacts')
      .set({
        state: 'held',
        due_reason: null,
        outcome_reason: 'forgotten_person',
        outcome_run: run.id,
        outcome_at: run.now,
        outcome_detail: null,
      })
      .where('integration_id', '=', lease.integrationId)
      .where('crm_id', 'in', portion)
      .where('state', 'in', HOLDABLE)
      .execute();
  }
  await openErasedHolds(trx, lease, run, crmIds);
}

/** Opens the holds of contacts that were just held; one that has an open hold keeps that. */
export async function openErasedHolds(
  trx: Trx,
  lease: Lease,
  run: RunMoment,
  crmIds: readonly string[],
): Promise<void> {
  for (const portion of portions(crmIds)) {
    const held = await trx
      .selectFrom('contacts')
      .select('crm_id')
      .where('integration_id', '=', lease.integrationId)
      .where('crm_id', 'in', portion)
      .where('state', '=', 'held')
      .where('outcome_reason', '=', 'forgotten_person')
      .execute();
    if (held.length === 0) continue;
    await trx
      .insertInto('holds')
      .values(
        held.map(({ crm_id }) => {
          const id = newId(run.now);
          return {
            ...{
              id,
              integration_id: lease.integrationId,
              crm_id,
              kind: 'forgotten_person' as const,
            },
            tracking_id: id,
            opened_at: run.now,
          };
        }),
      )
      .onConflict((c) => c.doNothing())
      .execute();
  }
}

/** It is another person: the contact goes on where it stood. */
export async function releaseErased(trx: Trx, hold: HeldContact, now: number): Promise<void> {
  const isPaid = sql<boolean>`tracking_id is not null`;
  const isChanged = sql<boolean>`asked_identity <> identity`;
  await trx
    .updateTable('contacts')
    .set({
      state: sql<ContactState>`case when ${isPaid} then 'ready' when asked_identity is null or ${isChanged} then 'due' else 'settled' end`,
      due_reason: sql<DueReason | null>`case when ${isPaid} then null
        when asked_identity is null and asked_at is null then 'never_enhanced'
        when asked_identity is null then 'job_vanished'
        when ${isChanged} then 'identity_change_approved' end`,
      outcome_reason: sql<OutcomeReason>`case when ${isPaid} then 'delivery_pending'
        when asked_identity is null or ${isChanged} then 'submission_pending'
        when donor_id is null then 'no_match_known' else 'profile_fresh' end`,
      outcome_at: now,
    })
    .where('integration_id', '=', hold.integrationId)
    .where('crm_id', '=', hold.crmId)
    .where('state', '=', 'held')
    .execute();
}

/**
 * The CRM made an erased contact a part of this one: whether it is the same person, a person decides.
 * False if that is on record already.
 */
export async function suspectMerged(
  trx: Trx,
  integrationId: string,
  print: string,
  now: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('forgotten')
    .values({
      integration_id: integrationId,
      crm_id_fingerprint: print,
      forgotten_at: now,
      state: 'merged',
    })
    .onConflict((c) => c.columns(['integration_id', 'crm_id_fingerprint']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== undefined && numInsertedOrUpdatedRows > 0n;
}
