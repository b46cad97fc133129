import { inheritAtDelivery } from '../../contacts/departures.ts';
import { openErasedHolds } from '../../contacts/erased-holds.ts';
import { move, moveAndList } from '../../contacts/life/apply-events.ts';
import type { OwnedValues } from '../../contacts/owned-values.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import { type ContactQuestionKind, listContactKinds } from '../../core/question-kinds.ts';
import { answered } from '../../credits/statements/jobs.ts';
import type { SealedWords } from '../../database/encryption/foreign-texts.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { RunContext } from '../../sync/statements/runs.ts';
import { closeWrites } from './field-end.ts';
import { type KeptDelivery, keepProfiles, type ProfileToKeep } from './kept-profiles.ts';

/** How the delivery of one profile ended. */
export interface Delivery {
  crmId: string;
  trackingId: string;
  reason: OutcomeReason;
  /** Details of the reason, without personal data. */
  detail: string | null;
  /** The CRM's message if it refused the write, encrypted. Omitted if there was none. */
  words?: SealedWords | null;
  /** The profile to keep. Omitted if there is none. */
  kept?: ProfileToKeep;
  end: DeliveryEnd;
}

export type DeliveryEnd =
  /** The profile is in the CRM, except for values that cannot be written. */
  | {
      kind: 'delivered';
      donorId: string;
      /** The contact's identity that was compared with the profile. */
      identity: string;
      owned: OwnedValues;
      writeId: string | null;
      /** False if the record refused the whole write. Defaults to true. */
      isDone?: boolean;
      /** See `WriteEnd`. */
      after?: OwnedValues;
    }
  /** A user decides. Unless another kind is given, the question is about the names. */
  | { kind: 'held'; donorId: string; hold?: ContactQuestionKind; writeId?: string | null }
  /** A later run tries again with the same job. `enhanced` is true if the job's profile was available. */
  | {
      kind: 'postponed';
      writeId: string | null;
      enhanced: boolean;
      /** True if the contact may be an erased person. Defaults to false. */
      looksErased?: boolean | undefined;
    }
  /** The CRM does not find the contact, but does not report that it was deleted. A later run tries again. */
  | { kind: 'missing' }
  /**
   * Nothing is delivered, because the contact was deleted or opted out. After a merge, the record that absorbed the
   * contact takes its place.
   */
  | { kind: 'dropped'; removed: boolean; mergedInto?: string | null };

/** Moves contacts, jobs, writes and holds to the states that follow from a run's deliveries. */
export async function recordEnds(
  trx: RunTransaction,
  lease: Lease,
  run: RunContext,
  deliveries: readonly Delivery[],
): Promise<void> {
  await recordDelivered(trx, lease, run, deliveries);
  await keepProfiles(trx, lease.integrationId, run.now, deliveries.flatMap(toKeep));
  await recordKnown(trx, refusedOnes(deliveries), run.now);
  for (const { crmId, end } of deliveries) {
    if (end.kind !== 'dropped' || end.mergedInto == null) continue;
    await inheritAtDelivery(trx, lease, run, crmId, end.mergedInto);
  }
  for (const [event, those] of Map.groupBy(deliveries, ({ end }) => toEvent(end))) {
    if (event === 'delivered') continue;
    const moved = await moveAndList(trx, lease, event, those.map(toTarget), run);
    if (event !== 'heldAtDelivery') continue;
    const ids = new Set(moved.map(({ tracking_id }) => tracking_id));
    for (const delivery of those.filter(({ trackingId }) => ids.has(trackingId))) {
      await hold(trx, lease, run, delivery);
    }
  }
  const notWritten = deliveries.flatMap(({ end }) =>
    end.kind === 'postponed' || end.kind === 'held' ? [end.writeId ?? null] : [],
  );
  await closeWrites(
    trx,
    notWritten.map((writeId) => ({ writeId, isDone: false })),
  );
}

/**
 * Returns the profile to keep. A paid profile that is not in the CRM waits for a decision, for a later run, or until
 * the contact opts in again. The service deletes its result after a week.
 */
function toKeep({ crmId, trackingId, kept, end }: Delivery): KeptDelivery[] {
  if (kept === undefined) return [];
  return [{ ...kept, crmId, trackingId, isDelivered: end.kind === 'delivered' }];
}

function toEvent(end: DeliveryEnd) {
  switch (end.kind) {
    case 'delivered':
      return 'delivered';
    case 'held':
      return 'heldAtDelivery';
    case 'postponed':
      return 'postponed';
    case 'missing':
      return 'missedAtDelivery';
    case 'dropped':
      return end.removed ? 'goneAtDelivery' : 'leftOutAtDelivery';
  }
}

/** Returns jobs whose profile belongs to the contact, although the contact's record refused the values. */
function refusedOnes(deliveries: readonly Delivery[]): string[] {
  return deliveries.flatMap(({ trackingId, end }) =>
    end.kind === 'postponed' && end.enhanced ? [trackingId] : [],
  );
}

/** Records that the service recognised these people. The first time at which this was known stays. */
async function recordKnown(
  trx: RunTransaction,
  trackingIds: readonly string[],
  now: number,
): Promise<void> {
  for (const batch of inFilledBatches(trackingIds)) {
    await trx
      .updateTable('jobs')
      .set(answered(1, now))
      .where('tracking_id', 'in', batch)
      .where('known', 'is', null)
      .execute();
  }
}

async function recordDelivered(
  trx: RunTransaction,
  lease: Lease,
  run: RunContext,
  deliveries: readonly Delivery[],
): Promise<void> {
  const rows = deliveries.flatMap(({ end, ...delivery }) =>
    end.kind === 'delivered' ? [{ ...delivery, ...end }] : [],
  );
  const delivered = rows.map((row) => ({
    ...toTarget(row),
    donor_id: row.donorId,
    owned_values: JSON.stringify(row.owned),
    values_identity: row.identity,
  }));
  await move(trx, lease, 'delivered', delivered, run);
  for (const batch of inFilledBatches(rows)) {
    const trackingIds = batch.map(({ trackingId }) => trackingId);
    const crmIds = batch.map(({ crmId }) => crmId);
    await closeDelivered(trx, { trackingIds, crmIds, now: run.now });
  }
  await closeWrites(
    trx,
    rows.map(({ writeId, after, isDone = true }) => ({
      writeId,
      isDone,
      ...(after === undefined ? {} : { after }),
    })),
  );
}

type DeliveredJobs = {
  trackingIds: readonly string[];
  crmIds: readonly string[];
  now: number;
};

/**
 * Closes delivered jobs. If a merge moved a job while its profile was being written, the job is delivered once more, to
 * the contact that now has it.
 */
const closeDelivered = prepared((db, { trackingIds, crmIds, now }: Slots<DeliveredJobs>) =>
  db
    .updateTable('jobs')
    .set(({ fn, ref, val }) => ({
      state: 'delivered',
      closed_at: now,
      // The first time at which the service is known to have recognised the person stays.
      known: fn.coalesce(ref('known'), val(1)),
      answered_at: fn.coalesce(ref('answered_at'), now),
    }))
    .where('tracking_id', 'in', trackingIds)
    .where('crm_id', 'in', crmIds)
    .compile(),
);

/** The reasons for which an available profile waits for a user. */
const HOLD_KINDS = listContactKinds(({ isOfProfile }) => isOfProfile);

/** Questions about a profile that certainly belongs to the contact's person. */
const KNOWN_PERSON = new Set(listContactKinds(({ isOfKnownPerson }) => isOfKnownPerson));

async function hold(
  trx: RunTransaction,
  lease: Lease,
  run: RunContext,
  delivery: Delivery,
): Promise<void> {
  if (delivery.end.kind === 'held' && delivery.end.hold === 'forgotten_person') {
    // This hold does not use the job's ID, because approving it does not decide about the names. The job stays as it
    // is, because its profile remains paid for if the contact leaves and returns.
    await openErasedHolds(trx, lease, run, [delivery.crmId]);
    return;
  }
  const kind = HOLD_KINDS.find((one) => one === delivery.reason) ?? 'name_mismatch';
  await trx
    .insertInto('questions')
    .values({
      id: delivery.trackingId,
      integration_id: lease.integrationId,
      crm_id: delivery.crmId,
      kind,
      tracking_id: delivery.trackingId,
      detail: delivery.detail,
      opened_at: run.now,
    })
    // The approval no longer fits the contact, or this is a different question about the same profile. The job can also
    // come from a merged contact that already had a question.
    .onConflict((c) =>
      c.column('id').doUpdateSet({
        crm_id: delivery.crmId,
        kind,
        detail: delivery.detail,
        opened_at: run.now,
        decision: null,
        decided_at: null,
      }),
    )
    .execute();
  await trx
    .updateTable('jobs')
    .set({ state: 'held', ...answered(KNOWN_PERSON.has(kind) ? 1 : 0, run.now) })
    .where('tracking_id', '=', delivery.trackingId)
    .execute();
}

function toTarget({ crmId, trackingId, reason, detail }: Omit<Delivery, 'end'>) {
  return {
    crm_id: crmId,
    tracking_id: trackingId,
    outcome_reason: reason,
    outcome_detail: detail,
  };
}
