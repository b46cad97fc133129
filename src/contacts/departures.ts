import type { Closing } from '../core/questions/decisions.ts';
import { PAID_BEFORE, parsePaidBefore } from '../core/questions/paid-since-backup.ts';
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
import { PAID_SINCE_BACKUP } from './many-at-once/paid-since-backup.ts';

export interface Departure {
  id: string;
  mergedInto: string | null;
  /**
   * True if this contact was merged into a contact that was erased. Then none of this contact's data is carried over.
   */
  isHeirErased?: boolean;
  /** True if this contact was erased. Then none of its data is carried over. */
  isErased?: boolean;
  /**
   * Set if this contact is or may be an erased person. The value is the fingerprint of the contact that remained after
   * the merge.
   */
  suspect?: string | null;
}

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
    // If a contact may be an erased person, its profile waits until a user has decided about both contacts.
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
 * Passes results on to the contacts that remain after merges. The remaining contacts' own requests found no profile or
 * cost no credit. They may have absorbed contacts whose paid results were not needed at the time of the merge. A
 * contact that has cost a credit gets only a result that can still be fetched, because a new submission may return
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
  // The loop also finds contacts that were merged into merged contacts.
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

/** A merged contact whose CRM record contains values that donor-sync wrote. */
export type Part = Pick<
  ContactRow,
  'crm_id' | 'merged_into' | 'asked_identity' | 'owned_values' | 'values_donor' | 'values_identity'
>;

/** Returns contacts that were merged directly into these contacts and have not come back, ordered by ID. */
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
 * Reads the rows in the order of the index. If the rows were sorted by ID, SQLite would scan all of the client's
 * contacts.
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
 * The states of a job that moves to the remaining contact in a merge. The job is in flight, its profile can be
 * delivered again, or its submission has no response yet. The profile then belongs to the remaining contact.
 */
const MOVING = ['intended', 'processing', 'completed', 'held', 'delivered'] as const;

/**
 * Moves the profile when two CRM records become one. The same job is delivered to the remaining record (the winner), so
 * no second credit is spent. Does nothing if the winner has or expects a profile, or if the other record has none. If
 * the winner's profile does not match its names, the winner gets the other record's profile, and the name guard checks
 * that profile.
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
    // A CRM can report the same merge several times. A CRM can also report a contact as gone before it reports the
    // merge.
    if (loser.departure_read === 0) await move(trx, of, 'absorbed', [{ crm_id: winnerId }], run);
    return;
  }
  const job = await findMoving(trx, of, run.now, loserId, winner);
  const isGone = job !== undefined && (await isOutOfReach(trx, of, loserId, job, run.now));
  if (what !== 'all' && (job === undefined || isGone)) return;
  const isRunning = job?.state === 'intended' || job?.state === 'processing';
  const isOver = !isRunning && isGone;
  // The result of a later credit is worth more than a result that can no longer be fetched.
  if (!job || (isOver && (await findQuestion(trx, loser)) !== undefined)) {
    return moveQuestion(trx, of, run, loser, { winnerId, winner });
  }
  const { tracking_id } = job;
  const misfit = isMismatch(winner) ? winner : null;
  // donor-sync needs both profiles to decide which profile matches the contact. Until both are available, no further
  // profile is bought.
  if (misfit !== null && isRunning) {
    await move(trx, of, 'absorbed', [{ crm_id: winnerId }], run);
    return;
  }
  // Approving the winner's question would continue with a job that has no result yet.
  if (job.state === 'intended' && winner?.state === 'held') return;
  // Without this check, the winner would seem to have cost nothing, and a second credit would be spent on it.
  const wasAsked = winner !== undefined && winner.asked_identity !== null;
  if (wasAsked && loser.enhanced_at === null && isGone) return;
  // If these columns were missing, an unavailable job would look as if it had never returned a profile.
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
      // The result of the job is compared with the details that the winner has when the result arrives.
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
 * Gives a contact the paid job of a record that was merged into the contact. The job replaces the contact's profile,
 * because the job was submitted with this contact's names. Returns false if the contact's state has changed.
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

/** Finds the contact that inherits. The CRM may have merged that contact into a further contact. */
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
  // If merges form a circle, donor-sync does not know which contact still exists.
  return mergedInto;
}

/**
 * Returns the more recent credit of two merged contacts. The winner's credit may have found no profile. With the older
 * credit's age, the contact would be due again immediately and cost a third credit.
 */
function laterCredit(loser: ContactRow, winner: ContactRow | undefined) {
  const isWinners =
    winner !== undefined && winner.asked_identity !== null && spentAt(winner) > spentAt(loser);
  const { asked_at, last_credit } = isWinners ? winner : loser;
  return { asked_at, last_credit };
}

function spentAt({ asked_at, last_credit }: ContactRow): number {
  return last_credit === 'in_vain' ? 0 : (asked_at ?? 0);
}

/** The time for which the service keeps a job's results. */
const RESULTS_KEPT_MS = 7 * 86_400_000;

/**
 * Returns the job that moves to the remaining contact. An available profile is worth more than a future response. There
 * are two exceptions: the available profile is outdated, or it can no longer be fetched.
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
    // The order prefers the available or last delivered profile, because an earlier profile may not have matched.
    .orderBy((eb) => eb.fn.coalesce('closed_at', eb.val(Number.MAX_SAFE_INTEGER)), 'desc')
    .orderBy('submitted_at', 'desc')
    .execute();
  const there = jobs.find(({ state }) => state !== 'intended');
  const asked = jobs.find(({ state }) => state === 'intended');
  if (there === undefined || asked === undefined) return there ?? asked;
  const isOld =
    asked.reason === 'profile_old' ||
    (there.state === 'delivered' && (await isOutOfReach(trx, of, loserId, there, now)));
  // A held contact does not receive a job that has no response.
  return isOld && winner?.state !== 'held' ? asked : there;
}

/** True if neither donor-sync nor the service still has the job's profile. */
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

/** Moves the job to the winner. Returns false if the table of events refuses the event. */
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
 * Moves the question whether to buy a contact again to the remaining contact. The question was opened because a
 * response was lost or a paid job cannot be read. If a user has already rejected the purchase, the remaining contact is
 * not bought either. Moves nothing if the remaining contact has its own paid job.
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
  // From now on, the question is about the winner, so changes to the loser have no effect.
  const credit = last_credit === 'outdated' ? 'stands' : last_credit;
  const profile = { asked_at, last_credit: credit, donor_id, enhanced_at };
  const given = { ...profile, ...toOutcome(question, isRejected) };
  if (!(await moveToWinner(trx, of, run, event, { crm_id: winnerId, ...given }))) {
    // A question about buying the winner is already open, and the merge does not answer it.
    if (isMaybePaid(winner)) await move(trx, of, 'absorbed', [{ crm_id: winnerId }], run);
    return;
  }
  const moved = { crm_id: winnerId };
  await trx
    .updateTable('jobs')
    // If the job becomes readable again, it counts as paid for the details that the winner has then.
    .set(job.state === 'vanished' ? { ...moved, identity: NEXT_READING } : moved)
    .where('tracking_id', '=', job.tracking_id)
    .execute();
  await trx
    .updateTable('questions')
    // If the contact left or opted out before a user decided, the question is opened again.
    .set(isRejected ? moved : { ...moved, decision: null, decided_at: null })
    .where('id', '=', id)
    .execute();
  await move(trx, of, 'gaveJobAway', [{ crm_id, tracking_id: job.tracking_id }], run);
}

/** A question about buying a contact again, with the paid job. */
interface BuyingQuestion {
  id: string;
  kind: 'lost_answer' | typeof PAID_SINCE_BACKUP;
  decision: Closing | null;
  detail: string | null;
  job: { tracking_id: string; state: JobState };
}

/** Returns the outcome and the job for the contact that receives the question. */
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
    // The contact waits for the job only after the job can be read again.
    tracking_id: null,
    outcome_reason: isRejected ? 'counted_as_paid' : kind,
    outcome_detail: paidBefore && PAID_BEFORE[paidBefore],
  } as const;
}

/** Returns the contact's question about a lost or unreadable job. */
async function findQuestion(
  trx: Trx,
  { integration_id, crm_id, asked_identity, state }: ContactRow,
): Promise<BuyingQuestion | undefined> {
  // A credit that will be spent again counts as not spent.
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
    // A job that became unreadable several times has several questions, and all of them are closed.
    .orderBy('opened_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  // A user has decided to pay again, so the contact counts as not paid for.
  const isBought = kind === PAID_SINCE_BACKUP && question?.decision === 'approved';
  return question === undefined || isBought ? undefined : { ...question, kind, job };
}

/**
 * Lets a contact inherit when its profile is delivered. The merge did not move the job, because a user had to decide
 * about the other contact's names. Now both profiles are available. Other merges wait for the next reading, which first
 * checks for erased people.
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
 * True if the contact has its own profile or work in progress. A contact whose request found no profile can take
 * another contact's profile.
 */
function hasProfile(winner: Winner | undefined): boolean {
  if (winner === undefined || winner.asked_identity === null) return false;
  if (winner.donor_id !== null) return true;
  return winner.tracking_id !== null && !isMismatch(winner);
}

/** True if the contact may already have been paid for, so a user must decide about buying the profile. */
function isMaybePaid(winner: Winner | undefined): boolean {
  return winner?.state === 'held' && winner.outcome_reason === PAID_SINCE_BACKUP;
}

/** True if the contact's profile does not match its names and waits for a user. */
function isMismatch(winner: Winner | undefined): boolean {
  return winner?.state === 'held' && MISMATCH_REASONS.includes(winner.outcome_reason ?? '');
}

/**
 * Closes questions about contacts that have left the CRM or are submitted again, because such questions need no answer
 * any more.
 */
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
      // A question about an erasure stays open, even if the contact has left the CRM.
      .where('kind', '<>', 'erasure_requested')
      .execute();
  }
}
