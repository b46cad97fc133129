/** Records a submission in the database before its request is sent. */
import { sql } from 'kysely';
import { move } from '../../contacts/life/apply-events.ts';
import { findOpenSubmissions, lockKey, MAX_SLOTS } from '../../contacts/open-submissions.ts';
import type { Checkpoint, Lease, RunTransaction } from '../../database/leases.ts';
import { prepared, preparedRead, type Slots } from '../../database/prepared.ts';
import { inBatches, toValueRows } from '../../database/rows.ts';
import type { DueReason } from '../../database/tables/contacts.ts';
import { findOpenPersons, findShares, type SharingRules } from './paid-jobs.ts';

export interface Intent {
  submissionId: string;
  runId: string;
  partnerKey: string;
  /** The mapping with which the people's data was read. */
  mapping: string;
  /** The people, in the order of the request. */
  jobs: readonly IntendedJob[];
  /** The rules for sharing. A contact that can share a paid job must share it. */
  sharing: SharingRules;
  /** The maximum number of open submissions, including this submission. Defaults to 1. */
  atOnce?: number;
  /** The number of credits that must remain after all open submissions and this submission. */
  keep?: number;
}

export interface IntendedJob {
  trackingId: string;
  crmId: string;
  /** The fingerprint of the submitted identity. */
  identity: string;
  reason: DueReason;
  /** The fingerprint of the key and the person, or null if the job is not shared. */
  person: string | null;
}

export type IntentResult =
  | { recorded: true; balanceBefore: number }
  | { recorded: false; why: IntentRefusal };

/**
 * The reason why an intent was not recorded. `key_busy`: too many submissions are open, a response is lost, or open
 * submissions need the credits. `balance_unknown`: the balance was not read. `balance_changed`: another run has spent
 * credits, and too few are left. `person_paid`: another run has paid for one of the people. `person_open`: one of the
 * people is in an open submission. `contacts_changed`: a contact's state has changed.
 */
export type IntentRefusal =
  | 'key_busy'
  | 'balance_unknown'
  | 'balance_changed'
  | 'person_paid'
  | 'person_open'
  | 'contacts_changed';

/** Records the intent with the current balance. Returns false if the intent was not recorded. */
export async function recordSubmissionIntent(
  checkpoint: Checkpoint,
  lease: Lease,
  intent: Intent,
): Promise<IntentResult> {
  try {
    return await checkpoint(lease, (trx) => insertIntent(trx, intent));
  } catch (error) {
    if (error instanceof IntentRefused) return { recorded: false, why: error.why };
    throw error;
  }
}

async function insertIntent(trx: RunTransaction, intent: Intent): Promise<IntentResult> {
  const { integrationId } = trx.lease;
  const key = await lockKey(trx, intent.partnerKey);
  if (key?.balance == null) throw new IntentRefused('balance_unknown');
  const slot = await freeSlot(trx, intent, key.balance);
  const { submissionId, runId, partnerKey, mapping } = intent;
  const inserted = await insertSubmission(trx, {
    submissionId,
    runId,
    partnerKey,
    mapping,
    slot,
    integrationId,
    persons: intent.jobs.length,
    balance: key.balance,
    now: trx.clock.now(),
  });
  if (inserted.numAffectedRows === 0n) throw new IntentRefused('key_busy');
  // Shared jobs are searched after the key is locked, because the previous transaction has then recorded its payments.
  // An earlier search could miss a payment.
  const shares = await findShares(trx, trx.fingerprint, integrationId, intent.jobs, intent.sharing);
  if (shares.size > 0) throw new IntentRefused('person_paid');
  const open = await findOpenPersons(trx, intent.partnerKey, intent.jobs);
  if (open.size > 0) throw new IntentRefused('person_open');
  await insertJobs(trx, intent);
  return { recorded: true, balanceBefore: key.balance };
}

/** Returns the number of a free slot, if another submission is allowed. */
async function freeSlot(trx: RunTransaction, intent: Intent, balance: number): Promise<number> {
  const { partnerKey, jobs, atOnce = 1, keep = 0 } = intent;
  const open = await findOpenSubmissions(trx, partnerKey);
  const persons = open.reduce((sum, submission) => sum + submission.persons, 0);
  const isTooMuch = balance - persons - jobs.length < keep;
  if (open.length === 0) {
    if (isTooMuch) throw new IntentRefused('balance_changed');
    return 1;
  }
  const isLost = open.some(({ state }) => state === 'lost');
  if (isLost || isTooMuch || open.length >= Math.min(atOnce, MAX_SLOTS)) {
    throw new IntentRefused('key_busy');
  }
  const taken = new Set(open.map((submission) => submission.slot));
  const slots = Array.from({ length: MAX_SLOTS }, (_, index) => index + 1);
  const slot = slots.find((each) => !taken.has(each));
  if (slot === undefined) throw new IntentRefused('key_busy');
  return slot;
}

async function insertJobs(trx: RunTransaction, intent: Intent): Promise<void> {
  const now = trx.clock.now();
  const { integrationId } = trx.lease;
  for (const batch of inBatches(intent.jobs)) {
    const crmIds = batch.map(({ crmId }) => crmId);
    const persons = batch.flatMap(({ person }) => person ?? []);
    // Postgres does not accept an empty list.
    const alike = persons.length > 0 ? persons : [''];
    const { rows: later } = await findLater(trx, { integrationId, crmIds, alike, now });
    const afterThose = (crmId: string, person: string | null) =>
      later.flatMap(({ crm_id, person: whose, submitted_at: at }) =>
        crm_id === crmId || (whose !== null && whose === person) ? at + 1 : [],
      );
    await insertBatch(trx, {
      cells: batch.flatMap(({ trackingId, crmId, identity, person, reason }) => [
        trackingId,
        intent.submissionId,
        integrationId,
        crmId,
        identity,
        person,
        reason,
        'intended',
        // Keeps the order of submissions even if another host's clock is fast.
        Math.max(now, ...afterThose(crmId, person)),
      ]),
    });
  }
  const submitted = intent.jobs.map(({ crmId, trackingId, identity }) => ({
    crm_id: crmId,
    tracking_id: trackingId,
    identity,
  }));
  const moved = await move(trx, trx.lease, 'submitted', submitted, { id: intent.runId, now });
  if (moved !== intent.jobs.length) throw new IntentRefused('contacts_changed');
}

type NewSubmission = {
  submissionId: string;
  integrationId: string;
  runId: string;
  partnerKey: string;
  persons: number;
  balance: number;
  now: number;
  mapping: string;
  slot: number;
};

const insertSubmission = prepared((db, submission: Slots<NewSubmission>) =>
  db
    .insertInto('submissions')
    .values({
      id: submission.submissionId,
      integration_id: submission.integrationId,
      run_id: submission.runId,
      partner_key: submission.partnerKey,
      state: 'intended',
      persons: submission.persons,
      balance_before: submission.balance,
      intended_at: submission.now,
      mapping: submission.mapping,
      slot: submission.slot,
    })
    .onConflict((c) => c.doNothing())
    .compile(),
);

/** The columns of a job before its request is sent. */
const INTENDED = [
  'tracking_id',
  'submission_id',
  'integration_id',
  'crm_id',
  'identity',
  'person',
  'reason',
  'state',
  'submitted_at',
] as const;

const insertBatch = prepared(
  (db, { cells }: Slots<{ cells: readonly (string | number | null)[] }>) =>
    db
      .insertInto('jobs')
      .columns(INTENDED)
      .expression(sql`values ${toValueRows(cells, INTENDED.length)}`)
      .compile(),
);

type Asked = {
  integrationId: string;
  crmIds: readonly string[];
  /** The fingerprints of the people that the contacts may be. */
  alike: readonly string[];
  now: number;
};

/** Finds submissions of these people whose time is in the future according to this machine's clock. */
const findLater = preparedRead((db, { integrationId, crmIds, alike, now }: Slots<Asked>) =>
  db
    .selectFrom('jobs')
    .select(['crm_id', 'person', 'submitted_at'])
    .where((eb) =>
      eb.or([
        eb.and([eb('integration_id', '=', integrationId), eb('crm_id', 'in', crmIds)]),
        eb('person', 'in', alike),
      ]),
    )
    .where('submitted_at', '>=', now)
    // A job without cost may have a time from a clock that was days ahead. This job must not affect a submission.
    .where('state', '<>', 'unpaid')
    .compile(),
);

class IntentRefused extends Error {
  readonly why: IntentRefusal;

  constructor(why: IntentRefusal) {
    super(why);
    this.why = why;
  }
}
