import { inheritAtDelivery } from '../../contacts/departures.ts';
import { openErasedHolds } from '../../contacts/erased-holds.ts';
import { move, moveAndList } from '../../contacts/life/apply-events.ts';
import type { OwnedValues } from '../../contacts/owned-values.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import { type ContactQuestionKind, listContactKinds } from '../../core/questions/question-kinds.ts';
import { answered } from '../../credits/statements/jobs.ts';
import type { SealedWords } from '../../database/encryption/foreign-texts.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { inFilledBatches } from '../../database/rows.ts';
import { openQuestions } from '../../decisions/statements/open-questions.ts';
import type { RunContext } from '../../sync/statements/runs.ts';
import { closeWrites } from './field-end.ts';
import { type KeptDelivery, keepProfiles, type ProfileToKeep } from './kept-profiles.ts';

/** The end of a profile's delivery. */
export interface Delivery {
  crmId: string;
  trackingId: string;
  reason: OutcomeReason;
  /** The details of the end, without personal data. */
  detail: string | null;
  /** The CRM's message about a refused write, encrypted. Omitted if there was no message. */
  words?: SealedWords | null;
  /** The profile to store. Omitted if there is none. */
  kept?: ProfileToKeep;
  end: DeliveryEnd;
}

export type DeliveryEnd =
  /** The profile is in the CRM, except values that could not be written. */
  | {
      kind: 'delivered';
      donorId: string;
      /** The contact's identity with which the profile was compared. */
      identity: string;
      owned: OwnedValues;
      writeId: string | null;
      /** False if the CRM refused the whole write to this record. Defaults to true. */
      isDone?: boolean;
      /** See `WriteEnd`. */
      after?: OwnedValues;
    }
  /** A user must decide. If no other kind is given, the decision is about names. */
  | { kind: 'held'; donorId: string; hold?: ContactQuestionKind; writeId?: string | null }
  /** A later run tries the same job again. `enhanced` is true if the profile was available. */
  | {
      kind: 'postponed';
      writeId: string | null;
      enhanced: boolean;
      /** True if the contact may be an erased person. Defaults to false. */
      looksErased?: boolean | undefined;
    }
  /** The CRM does not find the contact, but does not report a deletion. A later run tries again. */
  | { kind: 'missing' }
  /**
   * Nothing is delivered, because the contact was deleted or opted out. After a merge, the remaining record replaces
   * the contact.
   */
  | { kind: 'dropped'; removed: boolean; mergedInto?: string | null };

/** Stores the states that follow from a run's deliveries. */
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
 * Returns the profiles to store. A paid profile that is not in the CRM waits for a decision, a later run or the end of
 * an opt-out. The profile must be stored, because the service deletes its result after a week.
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

/** Returns jobs whose profile certainly belongs to the contact, even if the CRM refused its values. */
function refusedOnes(deliveries: readonly Delivery[]): string[] {
  return deliveries.flatMap(({ trackingId, end }) =>
    end.kind === 'postponed' && end.enhanced ? [trackingId] : [],
  );
}

/** Records that the service recognised these people. An earlier time is kept. */
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
 * Closes delivered jobs. If a merge moved a job during the write, its profile is delivered again to the remaining
 * contact.
 */
const closeDelivered = prepared((db, { trackingIds, crmIds, now }: Slots<DeliveredJobs>) =>
  db
    .updateTable('jobs')
    .set(({ fn, ref, val }) => ({
      state: 'delivered',
      closed_at: now,
      // Keeps the time at which the service first recognised the person.
      known: fn.coalesce(ref('known'), val(1)),
      answered_at: fn.coalesce(ref('answered_at'), now),
    }))
    .where('tracking_id', 'in', trackingIds)
    .where('crm_id', 'in', crmIds)
    .compile(),
);

/** Why an available profile waits for a user. */
const HOLD_KINDS = listContactKinds(({ hasProfile }) => hasProfile);

/** The kinds of decisions about a profile that certainly belongs to the contact's person. */
const KNOWN_PERSON = new Set(listContactKinds(({ isOfKnownPerson }) => isOfKnownPerson));

async function hold(
  trx: RunTransaction,
  lease: Lease,
  run: RunContext,
  delivery: Delivery,
): Promise<void> {
  if (delivery.end.kind === 'held' && delivery.end.hold === 'forgotten_person') {
    // This decision is not about names, so it has its own ID. If the contact leaves and returns, the profile remains
    // paid for.
    await openErasedHolds(trx, lease, run, [delivery.crmId]);
    return;
  }
  const kind = HOLD_KINDS.find((one) => one === delivery.reason) ?? 'name_mismatch';
  const { trackingId: id, crmId, detail } = delivery;
  const question = { id, crmId, kind, detail, openedAt: run.now };
  // The approval no longer applies, or this is another question about the profile. A job from a merged contact may
  // already have had a question.
  await openQuestions(trx, lease.integrationId, [question], 'reopen');
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
