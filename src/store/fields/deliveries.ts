import { type Selectable, sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { move } from '../contacts/move.ts';
import { type OwnedValues, parseOwned } from '../contacts/owned-values.ts';
import { type FromRow, fromRows, maybeFromRow } from '../engine/from-row.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import { prepared, type Slots } from '../engine/prepared.ts';
import { filledPortions, linesOf, portions } from '../engine/rows.ts';
import type { Database, WritesTable } from '../engine/tables.ts';
import type { RunMoment } from '../runs/runs.ts';
import { keepWords } from '../secrets/foreign-texts.ts';
import { type Delivery, recordEnds } from './delivery-ends.ts';
import { noteUndone } from './kept-profiles.ts';

export type WriteRecord = FromRow<Selectable<WritesTable>>;

/** A write on its way to disk, before it goes to the CRM. */
export interface IntendedWrite {
  id: string;
  crmId: string;
  /** Sealed JSON: field → value before. */
  before: string;
  after: OwnedValues;
  ownedBefore: OwnedValues;
  /** The donor whose values it replaces; null if the values before were of the same donor, or of none. */
  donorBefore: string | null;
}

/** Profiles on their way into the CRM: each write, from its intent to its end, and the way back. */
export function deliveryQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    /** Values whose write was intended and may have happened, by CRM id. */
    async findIntended(
      integrationId: string,
      crmIds: readonly string[],
    ): Promise<Map<string, OwnedValues[]>> {
      const found = new Map<string, OwnedValues[]>();
      for (const portion of filledPortions(crmIds)) {
        const { rows } = await intendedOf(db, { integrationId, crmIds: portion });
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
          await insertPortion(trx, {
            cells: portion.flatMap(({ id, crmId, before, after, ownedBefore, donorBefore }) => [
              id,
              runId,
              lease.integrationId,
              crmId,
              'intended',
              before,
              JSON.stringify(after),
              JSON.stringify(ownedBefore),
              donorBefore,
              clock.now(),
            ]),
          });
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
        const run: RunMoment = { id: runId, now: clock.now() };
        await recordEnds(trx, lease, run, deliveries);
        const words = deliveries.flatMap((delivery) => delivery.words ?? []);
        await keepWords(trx, lease.integrationId, run, words);
        const profiles = deliveries.filter(
          ({ end }) => end.kind !== 'postponed' || end.enhanced,
        ).length;
        await countEnhanced(trx, { runId, profiles });
      });
    },

    /** What a run wrote, the newest first. */
    listWrites(runId: string): Promise<WriteRecord[]> {
      return ofRun(runId).orderBy('written_at', 'desc').orderBy('id').execute().then(fromRows);
    },

    /** What a run wrote into one contact last; undefined if nothing. */
    findWrite(runId: string, crmId: string): Promise<WriteRecord | undefined> {
      return ofRun(runId)
        .where('crm_id', '=', crmId)
        .orderBy('written_at', 'desc')
        .limit(1)
        .executeTakeFirst()
        .then(maybeFromRow);
    },

    /**
     * A write was taken back: what we own is what we owned before it. The fields in `left` hold
     * other values now; they can be taken back later, once the write that put them there is undone.
     */
    async recordUndone(
      lease: Lease,
      write: WriteRecord,
      { owned, left }: { owned: OwnedValues; left: OwnedValues },
    ): Promise<void> {
      const isWhole = Object.keys(left).length === 0;
      await checkpoint(lease, async (trx) => {
        await trx
          .updateTable('writes')
          .set(isWhole ? { state: 'undone' } : { after: JSON.stringify(left) })
          .where('id', '=', write.id)
          .execute();
        const owns = { crm_id: write.crmId, owned_values: JSON.stringify(owned) };
        const moment = { now: clock.now() };
        if (write.donorBefore === null || !isWhole) {
          await move(trx, lease, 'valuesWritten', [owns], moment);
        } else {
          const former = { ...owns, values_donor: write.donorBefore, values_identity: null };
          await move(trx, lease, 'valuesOfDonor', [former], moment);
        }
        const fields = Object.keys(parseOwned(write.after)).filter((name) => !(name in left));
        await noteUndone(trx, lease.integrationId, clock.now(), { crmId: write.crmId, fields });
      });
    },
  };

  function ofRun(runId: string) {
    return db
      .selectFrom('writes')
      .selectAll()
      .where('run_id', '=', runId)
      .where('state', 'in', ['written', 'intended']);
  }
}

/** The columns of a write before it goes to the CRM. */
const INTENDED = [
  'id',
  'run_id',
  'integration_id',
  'crm_id',
  'state',
  'before',
  'after',
  'owned_before',
  'donor_before',
  'written_at',
] as const;

const countEnhanced = prepared(
  (db, { runId, profiles }: Slots<{ runId: string; profiles: number }>) =>
    db
      .updateTable('runs')
      .set((eb) => ({ enhanced_count: eb('enhanced_count', '+', profiles) }))
      .where('id', '=', runId)
      .compile(),
);

const insertPortion = prepared(
  (db, { cells }: Slots<{ cells: readonly (string | number | null)[] }>) =>
    db
      .insertInto('writes')
      .columns(INTENDED)
      .expression(sql`values ${linesOf(cells, INTENDED.length)}`)
      .compile(),
);

const intendedOf = prepared(
  (db, { integrationId, crmIds }: Slots<{ integrationId: string; crmIds: readonly string[] }>) =>
    db
      .selectFrom('writes')
      .select(['crm_id', 'after'])
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .where('state', '=', 'intended')
      .compile(),
);
