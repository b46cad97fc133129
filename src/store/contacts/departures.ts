import type { Clock } from '../../core/clock.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import { portions } from '../engine/rows.ts';
import type { Trx } from '../engine/tables.ts';
import type { RunMoment } from '../runs/runs.ts';
import { AT_REST } from './decisions.ts';
import { holdErased, suspectMerged } from './erased-holds.ts';
import { moveProfile } from './merges.ts';

/** A contact that is gone from the CRM. */
export interface Departure {
  id: string;
  /** The contact that it lives on in. */
  mergedInto: string | null;
  /** That contact was erased: nothing goes to it. */
  isHeirErased?: boolean;
  /**
   * It was erased itself, or may be a person who was: the fingerprint of the contact that it lives on
   * in, so that a person decides about that one.
   */
  suspect?: string | null;
}

/** Contacts that are gone from the CRM. */
export function departureQueries(checkpoint: Checkpoint, clock: Clock) {
  return {
    /** After a full read: contacts that this run did not see are gone from the CRM. */
    async removeUnseen(lease: Lease, runId: string): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const removed = await trx
          .updateTable('contacts')
          .set({
            state: 'removed',
            due_reason: null,
            outcome_reason: 'deleted_in_crm',
            outcome_run: runId,
            outcome_at: clock.now(),
            outcome_detail: null,
          })
          .where('integration_id', '=', lease.integrationId)
          .where('seen_run', '<>', runId)
          .where('state', 'in', ['settled', 'due', 'held'])
          .returning('crm_id')
          .execute();
        await supersedeHolds(
          trx,
          lease,
          clock.now(),
          removed.map((row) => row.crm_id),
        );
      });
    },
  };
}

/** What the CRM reports as deleted or merged; the winner of a merge inherits the profile. */
export async function recordRemoved(
  trx: Trx,
  lease: Lease,
  run: RunMoment,
  removed: readonly Departure[],
): Promise<void> {
  for (const { id, mergedInto, isHeirErased = false, suspect = null } of removed) {
    if (mergedInto !== null && !isHeirErased && suspect === null) {
      await moveProfile(trx, lease, run, id, mergedInto);
    }
    if (mergedInto !== null && suspect !== null) {
      const isNews = await suspectMerged(trx, lease.integrationId, suspect, run.now);
      if (isNews) await holdErased(trx, lease, run, [mergedInto]);
    }
    await trx
      .updateTable('contacts')
      .set({
        state: 'removed',
        due_reason: null,
        outcome_reason: mergedInto === null ? 'deleted_in_crm' : 'merged_in_crm',
        outcome_run: run.id,
        outcome_at: run.now,
        outcome_detail: null,
        seen_run: run.id,
      })
      .where('integration_id', '=', lease.integrationId)
      .where('crm_id', '=', id)
      .where('state', 'in', AT_REST)
      .execute();
  }
  await supersedeHolds(
    trx,
    lease,
    run.now,
    removed.map((r) => r.id),
  );
}

/** Nobody has to decide any more about contacts that left or are asked for again. */
export async function supersedeHolds(
  trx: Trx,
  lease: Lease,
  now: number,
  ids: readonly string[],
): Promise<void> {
  for (const portion of portions(ids)) {
    await trx
      .updateTable('holds')
      .set({ decision: 'superseded', decided_at: now })
      .where('integration_id', '=', lease.integrationId)
      .where('crm_id', 'in', portion)
      .where('decision', 'is', null)
      .execute();
  }
}
