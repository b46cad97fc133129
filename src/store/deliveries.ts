import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import type { OutcomeReason } from '../core/outcome.ts';
import { askedAtOnceSettled } from './jobs.ts';
import type { Checkpoint, Lease } from './leases.ts';
import { portions, valuesTable } from './rows.ts';
import type { Database, Trx, WritesTable } from './tables.ts';

const ownedSchema = z.record(z.string(), z.string());

export type WriteRow = Selectable<WritesTable>;

/** Field → fingerprint of a value that we wrote. */
export type OwnedValues = Readonly<Record<string, string>>;

/** A write on its way to disk, before it goes to the CRM. */
export interface IntendedWrite {
  id: string;
  crmId: string;
  /** Sealed JSON: field → value before. */
  before: string;
  after: OwnedValues;
  ownedBefore: OwnedValues;
}

/** How the delivery of one profile ended. */
export interface Delivery {
  crmId: string;
  trackingId: string;
  reason: OutcomeReason;
  /** More of the reason, without personal data. */
  detail: string | null;
  end: DeliveryEnd;
}

export type DeliveryEnd =
  /** The profile is in the CRM as far as it can be. */
  | {
      kind: 'delivered';
      donorId: string;
      owned: OwnedValues;
      writeId: string | null;
    }
  /** A person decides. */
  | { kind: 'held'; donorId: string }
  /** A later run tries again with the same job; `enhanced` says whether its profile was there. */
  | { kind: 'postponed'; writeId: string | null; enhanced: boolean }
  /** Nothing is to be delivered (deleted, opted out). */
  | { kind: 'dropped'; removed: boolean };

export function deliveryQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    /** Values whose write was intended and may have happened, by CRM id. */
    async findIntended(
      integrationId: string,
      crmIds: readonly string[],
    ): Promise<Map<string, OwnedValues[]>> {
      const found = new Map<string, OwnedValues[]>();
      for (const portion of portions(crmIds)) {
        const rows = await db
          .selectFrom('writes')
          .select(['crm_id', 'after'])
          .where('integration_id', '=', integrationId)
          .where('crm_id', 'in', portion)
          .where('state', '=', 'intended')
          .execute();
        for (const row of rows) {
          found.set(row.crm_id, [...(found.get(row.crm_id) ?? []), parseOwned(row.after)]);
        }
      }
      return found;
    },

    /** Puts writes on disk before they are sent, so that each can be recognised and undone. */
    async recordIntended(
      lease: Lease,
      runId: string,
      writes: readonly IntendedWrite[],
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        for (const portion of portions(writes)) {
          await trx
            .insertInto('writes')
            .values(
              portion.map((write) => ({
                id: write.id,
                run_id: runId,
                integration_id: lease.integrationId,
                crm_id: write.crmId,
                state: 'intended' as const,
                before: write.before,
                after: JSON.stringify(write.after),
                owned_before: JSON.stringify(write.ownedBefore),
                written_at: clock.now(),
              })),
            )
            .execute();
        }
      });
    },

    /** How deliveries ended: outcomes, what we own now, and holds. */
    async recordDeliveries(
      lease: Lease,
      runId: string,
      deliveries: readonly Delivery[],
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        await recordDelivered(trx, lease, runId, deliveries);
        for (const delivery of deliveries) {
          if (delivery.end.kind === 'held') await hold(trx, lease, runId, delivery);
          if (delivery.end.kind === 'postponed') await postpone(trx, lease, runId, delivery);
          if (delivery.end.kind === 'dropped') await drop(trx, lease, runId, delivery);
        }
        const profiles = deliveries.filter(
          ({ end }) => end.kind !== 'postponed' || end.enhanced,
        ).length;
        await trx
          .updateTable('runs')
          .set((eb) => ({ enhanced_count: eb('enhanced_count', '+', profiles) }))
          .where('id', '=', runId)
          .execute();
      });
    },

    /** What a run wrote, the newest first. */
    listWrites(runId: string): Promise<WriteRow[]> {
      return db
        .selectFrom('writes')
        .selectAll()
        .where('run_id', '=', runId)
        .where('state', 'in', ['written', 'intended'])
        .orderBy('written_at', 'desc')
        .orderBy('id')
        .execute();
    },

    /**
     * A write was taken back: what we own is what we owned before it. The fields in `left` hold
     * other values now; they can be taken back later, once the write that put them there is undone.
     */
    async recordUndone(
      lease: Lease,
      write: WriteRow,
      { owned, left }: { owned: OwnedValues; left: OwnedValues },
    ): Promise<void> {
      const isWhole = Object.keys(left).length === 0;
      await checkpoint(lease, async (trx) => {
        await trx
          .updateTable('writes')
          .set(isWhole ? { state: 'undone' } : { after: JSON.stringify(left) })
          .where('id', '=', write.id)
          .execute();
        await trx
          .updateTable('contacts')
          .set({ owned_values: JSON.stringify(owned) })
          .where('integration_id', '=', lease.integrationId)
          .where('crm_id', '=', write.crm_id)
          .execute();
      });
    },
  };

  async function recordDelivered(
    trx: Trx,
    lease: Lease,
    runId: string,
    deliveries: readonly Delivery[],
  ): Promise<void> {
    const rows = deliveries.flatMap(({ end, ...delivery }) =>
      end.kind === 'delivered' ? [{ ...delivery, ...end }] : [],
    );
    for (const portion of portions(rows)) {
      await trx
        .updateTable('contacts')
        .from(
          valuesTable<'column1' | 'column2' | 'column3' | 'column4' | 'column5' | 'column6'>(
            portion.map((row) => [
              row.crmId,
              row.trackingId,
              row.donorId,
              JSON.stringify(row.owned),
              row.reason,
              row.detail,
            ]),
          ),
        )
        .set((eb) => ({
          state: 'settled',
          asked_at: askedAtOnceSettled,
          donor_id: eb.ref('v.column3'),
          enhanced_at: clock.now(),
          owned_values: eb.ref('v.column4'),
          outcome_reason: eb.ref('v.column5'),
          outcome_detail: eb.ref('v.column6'),
          outcome_run: runId,
          outcome_at: clock.now(),
          tracking_id: null,
        }))
        .where('integration_id', '=', lease.integrationId)
        .where('state', '=', 'ready')
        .whereRef('crm_id', '=', 'v.column1')
        .whereRef('tracking_id', '=', 'v.column2')
        .execute();
      await closeJobs(
        trx,
        portion.map((row) => row.trackingId),
      );
    }
    for (const confirmed of portions(rows.flatMap((row) => row.writeId ?? []))) {
      await trx
        .updateTable('writes')
        .set({ state: 'written' })
        .where('id', 'in', confirmed)
        .execute();
    }
  }

  async function hold(trx: Trx, lease: Lease, runId: string, delivery: Delivery): Promise<void> {
    await trx
      .insertInto('holds')
      .values({
        id: delivery.trackingId,
        integration_id: lease.integrationId,
        crm_id: delivery.crmId,
        kind: 'name_mismatch',
        tracking_id: delivery.trackingId,
        detail: delivery.detail,
        opened_at: clock.now(),
      })
      // An approval that no longer fits the contact: the same question is open again.
      .onConflict((c) =>
        c.column('id').doUpdateSet({
          detail: delivery.detail,
          opened_at: clock.now(),
          decision: null,
          decided_at: null,
        }),
      )
      .execute();
    await trx
      .updateTable('jobs')
      .set({ state: 'held' })
      .where('tracking_id', '=', delivery.trackingId)
      .execute();
    await stamp(trx, lease, runId, delivery, { state: 'held' });
  }

  async function postpone(
    trx: Trx,
    lease: Lease,
    runId: string,
    delivery: Delivery,
  ): Promise<void> {
    await stamp(trx, lease, runId, delivery, {});
    if (delivery.end.kind === 'postponed' && delivery.end.writeId !== null) {
      await trx
        .updateTable('writes')
        .set({ state: 'refused' })
        .where('id', '=', delivery.end.writeId)
        .execute();
    }
  }

  async function drop(trx: Trx, lease: Lease, runId: string, delivery: Delivery): Promise<void> {
    const removed = delivery.end.kind === 'dropped' && delivery.end.removed;
    // The job stays as it is: should the contact come back, its profile is paid for.
    await stamp(trx, lease, runId, delivery, {
      state: removed ? 'removed' : 'settled',
      eligible: 0,
    });
  }

  async function stamp(
    trx: Trx,
    lease: Lease,
    runId: string,
    delivery: Delivery,
    changes: { state?: 'held' | 'settled' | 'removed'; eligible?: 0 },
  ): Promise<void> {
    await trx
      .updateTable('contacts')
      .set({
        ...changes,
        outcome_reason: delivery.reason,
        outcome_detail: delivery.detail,
        outcome_run: runId,
        outcome_at: clock.now(),
      })
      .where('integration_id', '=', lease.integrationId)
      .where('crm_id', '=', delivery.crmId)
      .where('tracking_id', '=', delivery.trackingId)
      .where('state', '=', 'ready')
      .execute();
  }

  async function closeJobs(trx: Trx, trackingIds: readonly string[]): Promise<void> {
    await trx
      .updateTable('jobs')
      .set({ state: 'delivered', closed_at: clock.now() })
      .where('tracking_id', 'in', trackingIds)
      .execute();
  }
}

/** The JSON of `owned_values` and `after`. */
export function parseOwned(json: string): OwnedValues {
  return ownedSchema.parse(JSON.parse(json));
}
