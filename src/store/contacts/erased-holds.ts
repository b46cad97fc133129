/** Contacts that may be a person who was erased: held before anything is sent or written. */
import { newId } from '../../core/new-id.ts';
import type { Lease } from '../engine/leases.ts';
import { portions } from '../engine/rows.ts';
import type { Trx } from '../engine/tables.ts';
import type { RunMoment } from '../runs/runs.ts';
import type { Moment } from './changes.ts';
import { type Moved, move } from './move.ts';

/** Holds contacts, as far as no station has them under way. */
export async function holdErased(
  trx: Trx,
  lease: Lease,
  run: RunMoment,
  crmIds: readonly string[],
): Promise<void> {
  await move(trx, lease, 'suspected', crmIds, run);
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

/** Of contacts that go on with a job, those whose question about it was left open are asked about again. */
export async function reopenHolds(
  trx: Trx,
  of: Pick<Lease, 'integrationId'>,
  moved: readonly Moved[],
  moment: Moment,
): Promise<void> {
  const ready = moved.filter(({ state, tracking_id }) => state === 'ready' && tracking_id !== null);
  for (const rows of portions(ready)) {
    const portion = rows.flatMap(({ tracking_id }) => tracking_id ?? []);
    const crmIds = rows.map(({ crm_id }) => crm_id);
    const holds = await trx
      .updateTable('holds')
      .set({ decision: null, decided_at: null })
      .where('integration_id', '=', of.integrationId)
      .where('decision', '=', 'superseded')
      .where('id', 'in', portion)
      // What was asked about a contact that is a part of this one since is another question.
      .where('crm_id', 'in', crmIds)
      .returning(['crm_id', 'tracking_id', 'kind', 'detail'])
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

/**
 * The CRM made an erased contact a part of this one: whether it is the same person, a person decides.
 * False if that is on record already.
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
    })
    .onConflict((c) => c.columns(['integration_id', 'crm_id_fingerprint']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== undefined && numInsertedOrUpdatedRows > 0n;
}
