/** Contacts that may be a person who was erased: held before anything is sent or written. */
import { sql } from 'kysely';
import { newId } from '../core/new-id.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import type { RunMoment } from './decisions.ts';
import { eraseRows } from './erase-rows.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { Lease } from './leases.ts';
import { portions } from './rows.ts';
import type { ContactState, DueReason, HoldsTable, Trx } from './tables.ts';

/** The part of a hold that says whose it is. */
type HeldContact = Pick<HoldsTable, 'integration_id' | 'crm_id'>;

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
    .where('integration_id', '=', hold.integration_id)
    .where('crm_id', '=', hold.crm_id)
    .where('state', '=', 'held')
    .execute();
}

/**
 * It is the erased person: this id is blocked as well. Where nothing was ever written into the CRM,
 * nothing is left of it here either; the rest is for `forget`, which can tell then what was ours.
 */
export async function blockErased(
  trx: Trx,
  hold: HeldContact,
  fingerprint: Fingerprint,
  now: number,
): Promise<void> {
  const { integration_id: integrationId, crm_id: crmId } = hold;
  const isKnownInCrm = await hasWritten(trx, hold);
  const block = isKnownInCrm
    ? { state: 'begun' as const, erased_at: null }
    : { state: 'erased' as const, erased_at: now };
  await trx
    .insertInto('forgotten')
    .values({
      integration_id: integrationId,
      crm_id_fingerprint: fingerprint('forgotten', crmId),
      forgotten_at: now,
      ...block,
    })
    .onConflict((c) =>
      c
        .columns(['integration_id', 'crm_id_fingerprint'])
        .doUpdateSet({ ...block, forgotten_at: now }),
    )
    .execute();
  if (!isKnownInCrm) {
    await eraseRows(trx, integrationId, [crmId], now);
    return;
  }
  await trx
    .updateTable('contacts')
    .set({
      ...{ state: 'settled', eligible: 0, due_reason: null },
      ...{ outcome_reason: 'forgotten', outcome_at: now },
    })
    .where('integration_id', '=', integrationId)
    .where('crm_id', '=', crmId)
    .where('state', '=', 'held')
    .execute();
}

async function hasWritten(trx: Trx, hold: HeldContact): Promise<boolean> {
  const contact = await trx
    .selectFrom('contacts')
    .select('owned_values')
    .where('integration_id', '=', hold.integration_id)
    .where('crm_id', '=', hold.crm_id)
    .executeTakeFirst();
  if (contact !== undefined && contact.owned_values !== '{}') return true;
  const write = await trx
    .selectFrom('writes')
    .select('id')
    .where('integration_id', '=', hold.integration_id)
    .where('crm_id', '=', hold.crm_id)
    .limit(1)
    .executeTakeFirst();
  return write !== undefined;
}
