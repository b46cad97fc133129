import type { Lease } from '../database/leases.ts';
import { preparedRead, type Slots } from '../database/prepared.ts';
import type { Reader } from '../database/reader.ts';
import { inFilledBatches } from '../database/rows.ts';
import type { JobState } from '../database/tables/credits.ts';
import type { Trx } from '../database/tables/tables.ts';
import { NEXT_READING } from '../identity/identity-text.ts';
import type { RunContext } from '../sync/statements/runs.ts';
import { findRows, newRow } from './contacts.ts';
import { holdErased, suspectMerged } from './erased-holds.ts';
import { after, move, putRows, type Target } from './life/apply-events.ts';
import type { ContactRow } from './life/changes.ts';
import type { LifeEvent } from './life/life.ts';
import { MISMATCH_REASONS } from './life/merging-events.ts';
import {
  PAID_BEFORE,
  PAID_SINCE_BACKUP,
  parsePaidBefore,
} from './many-at-once/paid-since-backup.ts';

/** A contact that is gone from the CRM. */
export interface Departure {
  id: string;
  /** The contact that it was merged into. */
  mergedInto: string | null;
  /** True if the contact that it was merged into was erased. None of this contact's data is then carried over. */
  isHeirErased?: boolean;
  /** True if the contact itself was erased. None of its data is then carried over. */
  isErased?: boolean;
  /**
   * Set if the contact was erased or may be an erased person. It is the fingerprint of the contact that it was merged
   * into, about which a user then decides.
   */
  suspect?: string | null;
}

/** The integration that the contacts belong to. */
type OfIntegration = Pick<Lease, 'integrationId'>;

/**
 * Records contacts that the CRM reports as deleted or merged. After a merge, the remaining contact inherits
 * the profile.
 */
export async function recordRemoved(
  trx: Trx,
  lease: Lease,
  run: RunContext,
  removed: readonly Departure[],
): Promise<void> {
  for (const {
    id,
    mergedInto,
    isHeirErased = false,
    isErased = false,
    suspect = null,
  } of removed) {
    if (mergedInto === null) continue;
    if (suspect !== null) {
      const isNews = await suspectMerged(trx, lease.integrationId, suspect, run.now);
      if (isNews) await holdErased(trx, lease, run, [mergedInto]);
    }
    // If a contact may be an erased person, its profile waits for the user's decision, together with the other contact.
    if (!isHeirErased && !isErased) await moveProfile(trx, lease, run, id, mergedInto);
  }
  const left = removed.map(({ id, mergedInto, isHeirErased, isErased }) => ({
    crm_id: id,
    outcome_reason: mergedInto === null ? ('deleted_in_crm' as const) : ('merged_in_crm' as const),
    merged_into: isHeirErased || isErased ? null : mergedInto,
  }));
  await move(trx, lease, 'left', left, run);
  await supersedeHolds(
    trx,
    lease,
    run.now,
    removed.map((r) => r.id),
  );
}

/**
 * Gives contacts results that were merged into them earlier. Their own requests returned nothing or cost nothing. In
 * the meantime other contacts may have been merged into them, whose paid results were not needed at that time. If a
 * contact cost a credit itself, it gets only a result that can still be fetched, because a new submission may return
 * more.
 */
export async function inheritLater(
  trx: Trx,
  of: OfIntegration,
  run: RunContext,
  contacts: readonly { crm_id: string }[],
): Promise<void> {
  const ids = contacts.map(({ crm_id }) => crm_id);
  const rows = [...(await findRows(trx, of.integrationId, ids)).values()];
  const there = rows.filter(({ state }) => state !== 'removed').map(({ crm_id }) => crm_id);
  const spentOn = new Set(
    rows.flatMap(({ asked_at, crm_id }) => (asked_at === null ? [] : crm_id)),
  );
  const winners = new Map(there.map((id) => [id, id]));
  // This includes contacts that were merged into merged contacts.
  for (let heirs = there; heirs.length > 0; ) {
    const losers = await findParts(trx, of.integrationId, heirs);
    const unseen = losers.filter(({ crm_id }) => !winners.has(crm_id));
    for (const { crm_id, merged_into } of unseen) {
      const winnerId = winners.get(merged_into ?? '') ?? '';
      winners.set(crm_id, winnerId);
      const what = spentOn.has(winnerId) ? 'what can be fetched' : 'all';
      await moveProfile(trx, of, run, crm_id, winnerId, what);
    }
    heirs = unseen.map(({ crm_id }) => crm_id);
  }
}

/** A contact that was merged into another one, and whose record has values of ours. */
export type Part = Pick<
  ContactRow,
  'crm_id' | 'merged_into' | 'asked_identity' | 'owned_values' | 'values_donor' | 'values_identity'
>;

/** Returns the contacts that were merged directly into these and have not come back, ordered by ID. */
export async function findParts(
  reader: Reader,
  integrationId: string,
  heirs: readonly string[],
): Promise<Part[]> {
  const found: Part[] = [];
  for (const batch of inFilledBatches(heirs)) {
    const { rows } = await selectParts(reader, { integrationId, heirs: batch });
    found.push(...rows);
  }
  return found.toSorted((one, other) => (one.crm_id < other.crm_id ? -1 : 1));
}

/**
 * Sorts in the order of the index that finds the rows. If they were sorted by ID, SQLite would scan all contacts of the
 * client.
 */
const selectParts = preparedRead(
  (reader, { integrationId, heirs }: Slots<{ integrationId: string; heirs: readonly string[] }>) =>
    reader
      .selectFrom('contacts')
      .select(['crm_id', 'merged_into', 'asked_identity', 'owned_values'])
      .select(['values_donor', 'values_identity'])
      .where('integration_id', '=', integrationId)
      .where('merged_into', 'is not', null)
      .where('merged_into', 'in', heirs)
      .where('departure_read', '=', 1)
      .orderBy('merged_into')
      .compile(),
);

/**
 * Jobs that move with a merge. Their profile is in flight or can be delivered again, or their submission still waits
 * for its response. The profile will then belong to the remaining contact.
 */
const MOVING = ['intended', 'processing', 'completed', 'held', 'delivered'] as const;

/**
 * Moves the profile when two CRM records become one. The same job is delivered to the remaining record (the winner), so
 * no second credit is spent. Does nothing if the winner has its own profile or waits for one, or if there is nothing to
 * move. If the winner's profile does not fit its names, the winner gets the other profile, and the guard checks it.
 */
async function moveProfile(
  trx: Trx,
  of: OfIntegration,
  run: RunContext,
  loserId: string,
  mergedInto: string,
  what: 'all' | 'what can be fetched' = 'all',
): Promise<void> {
  const winnerId = await findHeir(trx, of, loserId, mergedInto);
  const rows = await findRows(trx, of.integrationId, [loserId, winnerId]);
  const [loser, winner] = [rows.get(loserId), rows.get(winnerId)];
  if (loser === undefined) return;
  if (hasProfile(winner)) {
    // A CRM reports a merge more than once, and a contact's departure can be known before its reason is read.
    if (loser.departure_read === 0) await move(trx, of, 'absorbed', [{ crm_id: winnerId }], run);
    return;
  }
  const job = await findMoving(trx, of, run.now, loserId, winner);
  const isGone = job !== undefined && (await isOutOfReach(trx, of, loserId, job, run.now));
  if (what !== 'all' && (job === undefined || isGone)) return;
  const isRunning = job?.state === 'intended' || job?.state === 'processing';
  const isOver = !isRunning && isGone;
  // A later credit's result is worth more than a result that can no longer be fetched.
  if (!job || (isOver && (await findQuestion(trx, loser)) !== undefined)) {
    return moveQuestion(trx, of, run, loser, { winnerId, winner });
  }
  const { tracking_id } = job;
  const misfit = isMismatch(winner) ? winner : null;
  // It is known which of the two profiles fits only once both are available. Until then no other profile is paid for.
  if (misfit !== null && isRunning) {
    await move(trx, of, 'absorbed', [{ crm_id: winnerId }], run);
    return;
  }
  // If a user approved the winner's question, the winner would continue with a job that has no result yet.
  if (job.state === 'intended' && winner?.state === 'held') return;
  // Otherwise it would look as if the winner had cost no credit, and another credit would be spent on it.
  const wasAsked = winner !== undefined && winner.asked_identity !== null;
  if (wasAsked && loser.enhanced_at === null && isGone) return;
  // Without these columns, a job that can no longer be fetched would look as if it had never returned anything.
  const { donor_id, enhanced_at } = loser;
  const profile = { tracking_id, ...laterCredit(loser, winner), donor_id, enhanced_at };
  const event = isRunning ? 'inheritedRunning' : 'inheritedDone';
  if (!(await moveToWinner(trx, of, run, event, { crm_id: winnerId, ...profile }))) return;
  await trx
    .updateTable('jobs')
    .set({
      crm_id: winnerId,
      state: isRunning ? job.state : 'completed',
      closed_at: null,
      // The job's result is compared with the details that the winner has at that time.
      ...(job.state === 'intended' ? { identity: NEXT_READING } : {}),
    })
    .where('tracking_id', '=', tracking_id)
    .execute();
  await move(trx, of, 'gaveJobAway', [{ crm_id: loserId, tracking_id }], run);
  if (misfit?.tracking_id == null) return;
  await supersedeHolds(trx, of, run.now, [winnerId]);
  await trx
    .updateTable('jobs')
    .set({ state: 'delivered', closed_at: run.now })
    .where('tracking_id', '=', misfit.tracking_id)
    .execute();
}

/**
 * Gives a contact the paid job of a record that was merged into it. The job replaces the contact's profile, because it
 * was submitted with the contact's names. Returns false if the contact's state has changed.
 */
export async function takeJob(
  trx: Trx,
  of: OfIntegration,
  run: RunContext,
  { loser, heir, trackingId }: { loser: ContactRow; heir: ContactRow; trackingId: string },
): Promise<boolean> {
  const { donor_id, enhanced_at } = loser;
  const profile = { tracking_id: trackingId, ...laterCredit(loser, heir), donor_id, enhanced_at };
  const given = { crm_id: heir.crm_id, ...profile };
  const isWaiting = heir.state === 'ready' || heir.state === 'held';
  const event = isWaiting ? 'gotFittingJob' : 'inheritedDone';
  if (!(await moveToWinner(trx, of, run, event, given))) return false;
  if (isWaiting && heir.tracking_id !== null) {
    await supersedeHolds(trx, of, run.now, [heir.crm_id]);
    await trx
      .updateTable('jobs')
      .set({ state: 'delivered', closed_at: run.now })
      .where('tracking_id', '=', heir.tracking_id)
      .execute();
  }
  await trx
    .updateTable('jobs')
    .set({ crm_id: heir.crm_id, state: 'completed', closed_at: null })
    .where('tracking_id', '=', trackingId)
    .execute();
  await move(trx, of, 'gaveJobAway', [{ crm_id: loser.crm_id, tracking_id: trackingId }], run);
  return true;
}

/** Finds the contact that inherits. The contact that the merge names may itself have been merged since. */
async function findHeir(
  trx: Trx,
  { integrationId }: OfIntegration,
  loserId: string,
  mergedInto: string,
): Promise<string> {
  const line = new Set([loserId]);
  for (let heir = mergedInto; !line.has(heir); ) {
    line.add(heir);
    const row = (await findRows(trx, integrationId, [heir])).get(heir);
    const hasLeft = row?.departure_read === 1;
    if (!hasLeft || row.merged_into === null) return heir;
    heir = row.merged_into;
  }
  // If merges form a circle, it is unknown which contact still exists.
  return mergedInto;
}

/**
 * Returns the later credit of two merged contacts. The winner's credit may have returned no profile. If the age of the
 * other profile counted instead, a third credit would be spent immediately.
 */
function laterCredit(loser: ContactRow, winner: ContactRow | undefined) {
  const isWinners =
    winner !== undefined && winner.asked_identity !== null && spentAt(winner) > spentAt(loser);
  const { asked_at, last_credit } = isWinners ? winner : loser;
  return { asked_at, last_credit };
}

/** Returns when the contact's credit was spent, or 0 if it counts as not spent. */
function spentAt({ asked_at, last_credit }: ContactRow): number {
  return last_credit === 'in_vain' ? 0 : (asked_at ?? 0);
}

/** How long the service keeps a job's results. */
const RESULTS_KEPT_MS = 7 * 86_400_000;

/**
 * Returns the job that moves. A profile that is available is worth more than a response that is still to come. There
 * are two exceptions: the response was requested because the profile was outdated, or the profile can no longer be
 * fetched.
 */
async function findMoving(
  trx: Trx,
  of: OfIntegration,
  now: number,
  loserId: string,
  winner: Winner | undefined,
) {
  const jobs = await trx
    .selectFrom('jobs')
    .select(['tracking_id', 'state', 'reason', 'submitted_at'])
    .where('integration_id', '=', of.integrationId)
    .where('crm_id', '=', loserId)
    .where('state', 'in', MOVING)
    // The available profile, or the last delivered one, because an earlier profile may not have fitted.
    .orderBy((eb) => eb.fn.coalesce('closed_at', eb.val(Number.MAX_SAFE_INTEGER)), 'desc')
    .orderBy('submitted_at', 'desc')
    .execute();
  const there = jobs.find(({ state }) => state !== 'intended');
  const asked = jobs.find(({ state }) => state === 'intended');
  if (there === undefined || asked === undefined) return there ?? asked;
  const isOld =
    asked.reason === 'profile_old' ||
    (there.state === 'delivered' && (await isOutOfReach(trx, of, loserId, there, now)));
  // A held contact does not get a job without a response.
  return isOld && winner?.state !== 'held' ? asked : there;
}

/** True if the service no longer has the job's profile and it is not kept either. */
async function isOutOfReach(
  trx: Trx,
  { integrationId }: OfIntegration,
  crmId: string,
  { tracking_id, submitted_at }: { tracking_id: string; submitted_at: number },
  now: number,
): Promise<boolean> {
  if (submitted_at >= now - RESULTS_KEPT_MS) return false;
  const kept = await trx
    .selectFrom('kept_profiles')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('crm_id', '=', crmId)
    .where('tracking_id', '=', tracking_id)
    .where('profile', '<>', '')
    .executeTakeFirst();
  return kept === undefined;
}

/** Applies the event to the remaining contact, which may be new to the store. Returns false if the event is refused. */
async function moveToWinner(
  trx: Trx,
  of: OfIntegration,
  run: RunContext,
  event: LifeEvent,
  { crm_id: crmId, ...given }: Target,
): Promise<boolean> {
  if ((await findRows(trx, of.integrationId, [crmId])).has(crmId)) {
    return (await move(trx, of, event, [{ crm_id: crmId, ...given }], run)) > 0;
  }
  const unknown = newRow(of.integrationId, { crmId, identity: NEXT_READING });
  const row = after(event, unknown, given, run, 'unknown');
  if (row !== null) await putRows(trx, [row]);
  return row !== null;
}

/**
 * Moves the question whether to buy a contact again to the contact that it was merged into. The reason for
 * the question is a lost response, or a paid job that cannot be read. If a user has already rejected it, the other contact is not
 * paid for either. If the other contact was paid for itself, nothing is moved.
 */
async function moveQuestion(
  trx: Trx,
  of: OfIntegration,
  run: RunContext,
  loser: ContactRow,
  { winnerId, winner }: { winnerId: string; winner: Winner | undefined },
): Promise<void> {
  const { crm_id, asked_at, last_credit, donor_id, enhanced_at } = loser;
  const question = await findQuestion(trx, loser);
  if (question === undefined) return;
  const { id, job, decision } = question;
  const isRejected = decision === 'rejected';
  const event = isRejected ? 'inheritedRejection' : 'inheritedQuestion';
  // The question is now about the winner, so changes of the loser no longer matter.
  const credit = last_credit === 'outdated' ? 'stands' : last_credit;
  const profile = { asked_at, last_credit: credit, donor_id, enhanced_at };
  const given = { ...profile, ...toOutcome(question, isRejected) };
  if (!(await moveToWinner(trx, of, run, event, { crm_id: winnerId, ...given }))) {
    // A user is already asked whether to buy the winner, and the merged details do not answer this.
    if (isMaybePaid(winner)) await move(trx, of, 'absorbed', [{ crm_id: winnerId }], run);
    return;
  }
  const moved = { crm_id: winnerId };
  await trx
    .updateTable('jobs')
    // If the job can be read again, it counts as paid for the details that the winner has at that time.
    .set(job.state === 'vanished' ? { ...moved, identity: NEXT_READING } : moved)
    .where('tracking_id', '=', job.tracking_id)
    .execute();
  await trx
    .updateTable('questions')
    // If the contact left or opted out before a user decided, the question is now opened again.
    .set(isRejected ? moved : { ...moved, decision: null, decided_at: null })
    .where('id', '=', id)
    .execute();
  await move(trx, of, 'gaveJobAway', [{ crm_id, tracking_id: job.tracking_id }], run);
}

/** The question whether to buy a contact again, and the paid job that it is about. */
interface BuyingQuestion {
  id: string;
  kind: 'lost_answer' | typeof PAID_SINCE_BACKUP;
  decision: 'approved' | 'rejected' | 'resubmitted' | 'superseded' | null;
  detail: string | null;
  job: { tracking_id: string; state: JobState };
}

/** Returns the outcome of the contact that the question moves to, and the job that it waits for. */
function toOutcome({ kind, detail, job }: BuyingQuestion, isRejected: boolean) {
  if (kind === 'lost_answer') {
    return {
      tracking_id: job.tracking_id,
      outcome_reason: isRejected ? 'rejected_by_person' : kind,
      outcome_detail: detail,
    } as const;
  }
  const paidBefore = parsePaidBefore(detail);
  return {
    // The contact waits for no job until the job can be read again.
    tracking_id: null,
    outcome_reason: isRejected ? 'counted_as_paid' : kind,
    outcome_detail: paidBefore && PAID_BEFORE[paidBefore],
  } as const;
}

/** Returns the question about a contact's last job, if the job's response was lost or it cannot be read. */
async function findQuestion(
  trx: Trx,
  { integration_id, crm_id, asked_identity, state }: ContactRow,
): Promise<BuyingQuestion | undefined> {
  // A credit that is about to be spent again counts as not spent.
  if (asked_identity === null || state === 'due') return;
  const job = await trx
    .selectFrom('jobs')
    .select(['tracking_id', 'state'])
    .where('integration_id', '=', integration_id)
    .where('crm_id', '=', crm_id)
    .where('state', '<>', 'unpaid')
    .orderBy('submitted_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (job?.state !== 'lost' && job?.state !== 'vanished') return;
  const kind = job.state === 'lost' ? 'lost_answer' : PAID_SINCE_BACKUP;
  const question = await trx
    .selectFrom('questions')
    .select(['id', 'decision', 'detail'])
    .where('integration_id', '=', integration_id)
    .where('crm_id', '=', crm_id)
    .where('kind', '=', kind)
    .where('tracking_id', '=', job.tracking_id)
    // If a job was visible for a while, it has a question for each time that it was not.
    .orderBy('opened_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  // A user has decided to buy the contact, so it counts as not paid for.
  const isBought = kind === PAID_SINCE_BACKUP && question?.decision === 'approved';
  return question === undefined || isBought ? undefined : { ...question, kind, job };
}

/**
 * Moves a profile that has just arrived to the contact that its own contact was merged into. When the merge was read,
 * the job stayed where it was because the other contact was held for its names. Now both profiles are available. Any
 * other merge is left to the next reading, which first checks which people were erased.
 */
export async function inheritAtDelivery(
  trx: Trx,
  lease: Lease,
  run: RunContext,
  loserId: string,
  winnerId: string,
): Promise<void> {
  const rows = await findRows(trx, lease.integrationId, [winnerId]);
  if (isMismatch(rows.get(winnerId))) await moveProfile(trx, lease, run, loserId, winnerId);
}

type Winner = Pick<
  ContactRow,
  'asked_identity' | 'donor_id' | 'tracking_id' | 'state' | 'outcome_reason'
>;

/**
 * True if the contact has its own profile or work in progress. If its request had no result, it can take another
 * contact's profile.
 */
function hasProfile(winner: Winner | undefined): boolean {
  if (winner === undefined || winner.asked_identity === null) return false;
  if (winner.donor_id !== null) return true;
  return winner.tracking_id !== null && !isMismatch(winner);
}

/** True if a user is being asked whether to buy the contact, because it may have been paid for. */
function isMaybePaid(winner: Winner | undefined): boolean {
  return winner?.state === 'held' && winner.outcome_reason === PAID_SINCE_BACKUP;
}

/** True if the contact's own profile waits for a user because it does not fit the contact's names. */
function isMismatch(winner: Winner | undefined): boolean {
  return winner?.state === 'held' && MISMATCH_REASONS.includes(winner.outcome_reason ?? '');
}

/** Closes questions about contacts that left or are submitted again. Users no longer have to decide them. */
export async function supersedeHolds(
  trx: Trx,
  { integrationId }: OfIntegration,
  now: number,
  ids: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(ids)) {
    await trx
      .updateTable('questions')
      .set({ decision: 'superseded', decided_at: now })
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .where('decision', 'is', null)
      // Even if a contact has left, it must still be erased.
      .where('kind', '<>', 'erasure_requested')
      .execute();
  }
}
