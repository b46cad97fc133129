import { type Selectable, sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { releaseErased } from '../contacts/erased-holds.ts';
import { ASK_AGAIN } from '../credits/jobs.ts';
import { type FromRow, fromRows, maybeFromRow } from '../engine/from-row.ts';
import { portions } from '../engine/rows.ts';
import type { Database, HoldsTable, Trx } from '../engine/tables.ts';
import { blockErased } from '../erasure/block-erased.ts';
import type { Fingerprint } from '../secrets/fingerprint.ts';

export type HoldRecord = FromRow<Selectable<HoldsTable>>;

/** What a person may decide about a hold. */
export type HoldDecision = 'approved' | 'rejected' | 'resubmitted';

/** Whom a person has submitted again comes after those who never had a profile. */
const RESUBMITTED_PRIORITY = 2;

/** Contacts that wait for a person's decision. */
export function holdQueries(db: Database, clock: Clock, fingerprint: Fingerprint) {
  return {
    /** What waits for a person, the oldest first. */
    listOpen(integrationId?: string): Promise<HoldRecord[]> {
      let query = db.selectFrom('holds').selectAll().where('decision', 'is', null);
      if (integrationId !== undefined) query = query.where('integration_id', '=', integrationId);
      return query.orderBy('opened_at').orderBy('id').execute().then(fromRows);
    },

    /** How many wait for a person, by integration. */
    countOpen: () => countOpenHolds(db, 'holds'),

    /** The hold with this id, open or not. */
    find(id: string): Promise<HoldRecord | undefined> {
      return db
        .selectFrom('holds')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
        .then(maybeFromRow);
    },

    /** What a person has approved of these jobs' profiles: the kind of the hold, by tracking id. */
    async listApprovals(trackingIds: readonly string[]): Promise<Map<string, HoldRecord['kind']>> {
      const approved = new Map<string, HoldRecord['kind']>();
      for (const portion of portions(trackingIds)) {
        const rows = await db
          .selectFrom('holds')
          .select(['tracking_id', 'kind'])
          // A hold is named after its job.
          .where('id', 'in', portion)
          .where('decision', '=', 'approved')
          .execute();
        for (const row of rows) approved.set(row.tracking_id, row.kind);
      }
      return approved;
    },

    /** Contacts of which a person said that they are not who was erased, and when (epoch ms). */
    async listToldApart(integrationId: string): Promise<Map<string, number>> {
      const rows = await db
        .selectFrom('holds')
        .select(['crm_id', 'decided_at'])
        .where('integration_id', '=', integrationId)
        .where('kind', '=', 'forgotten_person')
        .where('decision', '=', 'approved')
        .orderBy('decided_at')
        .execute();
      return new Map(rows.map((row) => [row.crm_id, row.decided_at ?? 0]));
    },

    /**
     * Notes the decision and moves the contact on; false if the hold is no longer open, or if a
     * profile is to be approved that nobody has: the answer was lost.
     */
    async decide(hold: HoldRecord, decision: HoldDecision): Promise<boolean> {
      if (decision === 'approved' && hold.kind === 'lost_answer') return false;
      if (decision === 'resubmitted' && hold.kind === 'forgotten_person') return false;
      return db.transaction().execute(async (trx) => {
        const decided = await trx
          .updateTable('holds')
          .set({ decision, decided_at: clock.now() })
          .where('id', '=', hold.id)
          .where('decision', 'is', null)
          .executeTakeFirst();
        if (decided.numUpdatedRows === 0n) return false;
        await moveContact(trx, hold, decision);
        return true;
      });
    },
  };

  async function moveContact(trx: Trx, hold: HoldRecord, decision: HoldDecision): Promise<void> {
    if (hold.kind === 'forgotten_person') {
      if (decision === 'approved') await releaseErased(trx, hold, clock.now());
      else await blockErased(trx, hold, fingerprint, clock.now());
      return;
    }
    const contact = trx
      .updateTable('contacts')
      .where('integration_id', '=', hold.integrationId)
      .where('crm_id', '=', hold.crmId)
      .where('state', '=', 'held');
    if (hold.kind === 'identity_mass_change' && decision !== 'resubmitted') {
      await contact.set(massChangeColumns(clock.now())[decision]).execute();
      return;
    }
    if (decision === 'approved') {
      await trx
        .updateTable('jobs')
        // What a person says counts: the service knew this contact.
        .set({ state: 'completed', known: 1 })
        .where('tracking_id', '=', hold.trackingId)
        .where('state', '=', 'held')
        .execute();
      await contact.set({ state: 'ready', outcome_reason: 'delivery_pending' }).execute();
      return;
    }
    await trx
      .updateTable('jobs')
      .set({ state: 'delivered', closed_at: clock.now() })
      .where('tracking_id', '=', hold.trackingId)
      .where('state', '=', 'held')
      .execute();
    if (decision === 'rejected') {
      await contact
        .set({
          state: 'settled',
          tracking_id: null,
          outcome_reason: 'rejected_by_person',
          outcome_at: clock.now(),
        })
        .execute();
      return;
    }
    await contact
      .set({
        state: 'due',
        due_reason: 'resubmitted_by_person',
        priority: RESUBMITTED_PRIORITY,
        asked_identity: null,
        asked_at: ASK_AGAIN,
        tracking_id: null,
        outcome_reason: 'submission_pending',
        outcome_at: clock.now(),
      })
      .execute();
  }
}

/** The columns of a contact that a decision about a mass change sets. */
export function massChangeColumns(now: number) {
  return {
    approved: {
      state: 'due' as const,
      due_reason: 'identity_change_approved' as const,
      priority: RESUBMITTED_PRIORITY,
      outcome_reason: 'submission_pending' as const,
      outcome_at: now,
    },
    // The new details are the same person's: they count as what the credit was spent on.
    rejected: {
      state: 'settled' as const,
      asked_identity: sql<string>`identity`,
      asked_at: sql<number>`case when asked_at = ${sql.lit(ASK_AGAIN)} then ${now} else asked_at end`,
      outcome_reason: 'identity_change_rejected' as const,
      outcome_at: now,
    },
  };
}

/** How many holds of contacts, or of networks, wait for a person, by integration. */
export async function countOpenHolds(
  db: Database,
  table: 'holds' | 'network_holds',
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom(table)
    .select((eb) => ['integration_id', eb.fn.countAll().as('count')])
    .where('decision', 'is', null)
    .groupBy('integration_id')
    .execute();
  return new Map(rows.map((row) => [row.integration_id, Number(row.count)]));
}
