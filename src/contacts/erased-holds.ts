/** Holds contacts that may be an erased person, before donor-sync sends or writes anything about them. */

import type { NotNull } from 'kysely';
import { newId } from '../core/new-id.ts';
import type { Lease } from '../database/leases.ts';
import { inFilledBatches } from '../database/rows.ts';
import type { JobState } from '../database/tables/credits.ts';
import type { Trx } from '../database/tables/tables.ts';
import { openQuestions } from '../decisions/statements/open-questions.ts';
import type { RunContext } from '../sync/statements/runs.ts';
import { type Moved, move } from './life/apply-events.ts';
import type { ChangeContext } from './life/changes.ts';

/** Holds contacts that may be an erased person. Contacts with work in progress are not held. */
export async function holdErased(
  trx: Trx,
  lease: Lease,
  run: RunContext,
  crmIds: readonly string[],
): Promise<void> {
  await move(trx, lease, 'suspected', crmIds, run);
  await openErasedHolds(trx, lease, run, crmIds);
}

/** Opens questions about contacts that a run has just held. Questions that are already open do not change. */
export async function openErasedHolds(
  trx: Trx,
  lease: Lease,
  run: RunContext,
  crmIds: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(crmIds)) {
    const held = await trx
      .selectFrom('contacts')
      .select('crm_id')
      .where('integration_id', '=', lease.integrationId)
      .where('crm_id', 'in', batch)
      .where('state', '=', 'held')
      .where('outcome_reason', '=', 'forgotten_person')
      .execute();
    if (held.length === 0) continue;
    const questions = held.map(({ crm_id }) => ({
      id: newId(run.now),
      crmId: crm_id,
      kind: 'forgotten_person' as const,
      openedAt: run.now,
    }));
    await openQuestions(trx, lease.integrationId, questions, 'keep');
  }
}

/**
 * Opens unanswered questions again if their jobs are current again. If a merge has given the contact a profile since
 * then, this profile is first compared with the contact's names.
 */
export async function reopenHolds(
  trx: Trx,
  of: Pick<Lease, 'integrationId'>,
  moved: readonly Moved[],
  moment: ChangeContext,
): Promise<void> {
  const ready = moved.flatMap((row) => (row.state === 'ready' ? (row.tracking_id ?? []) : []));
  for (const batch of inFilledBatches(ready)) {
    const holds = await trx
      .updateTable('questions')
      .from('jobs')
      .set((eb) => ({ decision: null, decided_at: null, crm_id: eb.ref('jobs.crm_id') }))
      .whereRef('jobs.tracking_id', '=', 'questions.id')
      .where('questions.integration_id', '=', of.integrationId)
      .where('questions.decision', '=', 'superseded')
      .where('questions.id', 'in', batch)
      .where('jobs.state', 'in', ASKED_ABOUT)
      .returning([
        'questions.crm_id',
        'questions.tracking_id',
        'questions.kind',
        'questions.detail',
      ])
      .$narrowType<{ crm_id: NotNull; tracking_id: NotNull }>()
      .execute();
    const held = holds.map(({ crm_id, tracking_id, kind, detail }) => ({
      crm_id,
      tracking_id,
      outcome_reason: kind,
      outcome_detail: detail,
    }));
    await move(trx, of, 'heldAgain', held, moment);
  }
}

/** The states of a job that users must decide about. Jobs of contacts that have left the CRM are excluded. */
const ASKED_ABOUT: JobState[] = ['held', 'lost'];

/**
 * Records that the CRM merged an erased contact into this contact, so a user must decide whether this contact is the
 * same person. Returns false if the merge is already recorded.
 */
export async function suspectMerged(
  trx: Trx,
  integrationId: string,
  fingerprint: string,
  now: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('forgotten')
    .values({
      integration_id: integrationId,
      crm_id_fingerprint: fingerprint,
      forgotten_at: now,
      state: 'merged',
      everywhere: 0,
      donors: '[]',
    })
    .onConflict((c) => c.columns(['integration_id', 'crm_id_fingerprint']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== undefined && numInsertedOrUpdatedRows > 0n;
}
