import type { Selectable } from 'kysely';
import { moveAndList } from '../../contacts/apply-events.ts';
import { reopenHolds } from '../../contacts/erased-holds.ts';
import type { LifeEvent } from '../../contacts/life.ts';
import { removeConfirmed } from '../../contacts/many-at-once/missing.ts';
import type { Clock } from '../../core/clock.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import { waitForCheckpoint } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Database, Tables, Trx } from '../../database/tables/tables.ts';
import type { RecordEntry } from '../../privacy/audit/record.ts';
import { blockErased } from '../../privacy/statements/block-erased.ts';
import type { ErasureLog } from '../../privacy/statements/erasure-log.ts';
import { ON_HOLD } from './erasure-requests.ts';

export type HoldRecord = FromRow<Selectable<Tables['holds']>>;

/** What a person may decide about a hold. */
export type HoldDecision = 'approved' | 'rejected' | 'resubmitted';

/** Contacts that wait for a person's decision. */
export function holdQueries(
  db: Database,
  clock: Clock,
  fingerprint: Fingerprint,
  record: RecordEntry,
  erasures: ErasureLog,
) {
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

    /**
     * What a person has approved of these jobs' profiles: the kind of the hold, by tracking id. What was approved for a
     * contact that is a part of another one since says nothing of that one.
     */
    async listApprovals(trackingIds: readonly string[]): Promise<Map<string, HoldRecord['kind']>> {
      const approved = new Map<string, HoldRecord['kind']>();
      for (const batch of inFilledBatches(trackingIds)) {
        const { rows } = await selectApproved(db, { trackingIds: batch });
        for (const row of rows) approved.set(row.tracking_id, row.kind);
      }
      return approved;
    },

    /** Contacts of which a person said that they are not who was erased, and when (epoch ms). */
    async listDistinguished(integrationId: string): Promise<Map<string, number>> {
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
     * profile is to be approved that is not there: the answer was lost.
     */
    async decide(hold: HoldRecord, decision: HoldDecision): Promise<boolean> {
      if (decision === 'approved' && hold.kind === 'lost_answer') return false;
      if (decision === 'resubmitted' && hold.kind === 'forgotten_person') return false;
      if (decision === 'resubmitted' && isAboutContact(hold.kind)) return false;
      if (decision === 'approved' && isForbidden(hold)) return false;
      return db.transaction().execute(async (trx) => {
        if (LOCKING_KINDS.includes(hold.kind)) await waitForCheckpoint(trx, hold.integrationId);
        const decided = await trx
          .updateTable('holds')
          .set({ decision, decided_at: clock.now() })
          .where('id', '=', hold.id)
          .where('decision', 'is', null)
          .executeTakeFirst();
        if (decided.numUpdatedRows === 0n) return false;
        const keys = await moveContact(trx, hold, decision);
        const { id, integrationId, crmId, kind } = hold;
        const details = { hold: id, kind, decision, ...(keys > 0 && { keys }) };
        const changesBlocks = kind === 'forgotten_person';
        await record(trx, { action: 'hold.decided', integrationId, crmId, details, changesBlocks });
        return true;
      });
    },
  };

  /** Resolves with how many keys of audit entries it has destroyed. */
  async function moveContact(trx: Trx, hold: HoldRecord, decision: HoldDecision): Promise<number> {
    const moment = { now: clock.now() };
    if (hold.kind === 'contacts_missing') {
      if (decision !== 'approved') return 0;
      await removeConfirmed(trx, hold.integrationId, moment.now, [hold.crmId]);
      return 0;
    }
    // The answer itself says what becomes of the profile.
    if (hold.kind === 'mass_opt_out' || hold.kind === 'erasure_requested') return 0;
    const event = toLifeEvent(hold.kind, decision);
    if (event === 'confirmedErased') {
      return blockErased(trx, hold, { fingerprint, erasures }, moment.now);
    }
    const job = trx.updateTable('jobs').where('tracking_id', '=', hold.trackingId);
    await (decision === 'approved'
      ? // What a person says counts: the service knew this contact.
        job.set({ state: 'completed', known: 1 }).where('state', '=', 'held')
      : // It is completed if the question was asked again after an approval.
        job
          .set({ state: 'delivered', closed_at: moment.now })
          .where('state', 'in', ['held', 'completed'])
    ).execute();
    const moved = await moveAndList(trx, hold, event, [hold.crmId], moment);
    if (event === 'distinguished') await reopenHolds(trx, hold, moved, moment);
    return 0;
  }
}

/** Decisions that a run must not overtake while it reads. */
const LOCKING_KINDS: readonly HoldRecord['kind'][] = [
  ...(['forgotten_person', 'contacts_missing', 'mass_opt_out', 'erasure_requested'] as const),
];

/** True of questions about the contact itself, behind which there is no job. */
function isAboutContact(kind: HoldRecord['kind']): boolean {
  return kind === 'contacts_missing' || kind === 'mass_opt_out' || kind === 'erasure_requested';
}

/** True of a requested erasure that the CRM forbids. */
export function isForbidden({ kind, detail }: Pick<HoldRecord, 'kind' | 'detail'>): boolean {
  return kind === 'erasure_requested' && detail === ON_HOLD;
}

/** What a person's decision about a hold is in the contact's life. */
export function toLifeEvent(
  kind: Exclude<HoldRecord['kind'], 'contacts_missing' | 'mass_opt_out' | 'erasure_requested'>,
  decision: HoldDecision,
): LifeEvent {
  if (decision === 'resubmitted') return 'askedForAgain';
  const isApproved = decision === 'approved';
  if (kind === 'identity_mass_change') return isApproved ? 'changeApproved' : 'changeRejected';
  if (kind === 'forgotten_person') return isApproved ? 'distinguished' : 'confirmedErased';
  if (kind === 'new_person_unknown') return isApproved ? 'changeRejected' : 'blankingDecided';
  return isApproved ? 'profileApproved' : 'profileRejected';
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

const selectApproved = prepared((db, { trackingIds }: Slots<{ trackingIds: readonly string[] }>) =>
  db
    .selectFrom('holds')
    // A hold is named after its job.
    .innerJoin('jobs', (join) =>
      join.onRef('jobs.tracking_id', '=', 'holds.id').onRef('jobs.crm_id', '=', 'holds.crm_id'),
    )
    .select(['holds.tracking_id', 'holds.kind'])
    .where('holds.id', 'in', trackingIds)
    .where('holds.decision', '=', 'approved')
    .compile(),
);
