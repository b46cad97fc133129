import { sql } from 'kysely';
import { OPEN_STATES } from '../../contacts/open-submissions.ts';
import { QUESTION_DECISIONS } from '../../core/questions/decisions.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import { fromRows } from '../../database/from-row.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { JobState } from '../../database/tables/credits.ts';
import { changedParts } from '../../identity/identity-text.ts';
import { findRecalled, type RecalledRow } from './recalled-payments.ts';

/** The rules for sharing a paid job, so that no credit is spent. */
export interface SharingRules {
  /** The earliest time of a job (epoch ms). The results of older jobs can no longer be read or are too old. */
  since: number;
  /** True if the person's other contacts wait while a user decides about a lost response. */
  heedsLost: boolean;
}

export interface SharingContact {
  crmId: string;
  identity: string;
  /** The fingerprint of the key and the person. Null if the profile is not shared. */
  person: string | null;
}

/** A paid job that several contacts can share. */
export interface PaidJob {
  trackingId: string;
  submissionId: string;
  /** The service's job ID, or null if the response was lost. */
  jobId: string | null;
  /** The time at which the job was submitted (epoch ms). */
  submittedAt: number;
  fate: Fate;
}

/** The result that a contact gets from a shared job. */
export type Fate = 'running' | 'done' | 'failed' | 'lost';

/** The result for each state of a job. The most informative state decides. */
const FATES = new Map<JobState, Fate | 'gone'>([
  ['lost', 'lost'],
  ['processing', 'running'],
  ['completed', 'done'],
  ['held', 'done'],
  ['delivered', 'done'],
  ['failed', 'failed'],
  ['vanished', 'gone'],
]);

/**
 * Returns the job that each contact can share, by CRM ID. The job is for the same person and key. The shared job must
 * be newer than the contact's own last submission as this person. Therefore, a contact that is submitted again gets a
 * new result. After a restore, the job can be the contact's own job, which the backup lacks.
 */
export async function findShares(
  reader: Reader,
  fingerprint: Fingerprint,
  integrationId: string,
  contacts: readonly SharingContact[],
  rules: SharingRules,
): Promise<Map<string, PaidJob>> {
  const persons = new Set(contacts.flatMap(({ person }) => person ?? []));
  const paid = await findPaid(reader, [...persons], rules);
  const concerned = contacts.filter(({ person }) => person !== null && paid.has(person));
  const own = await findOwn(reader, integrationId, concerned);
  const shares = new Map<string, PaidJob>();
  for (const { crmId, person } of concerned) {
    const after = own.get(`${crmId}\n${person}`) ?? 0;
    const job = newestAfter(paid.get(person ?? '') ?? [], after);
    if (job) shares.set(crmId, job);
  }
  const alone = contacts.filter(({ crmId }) => !shares.has(crmId));
  const recalled = await findRecalled(
    reader,
    fingerprint,
    integrationId,
    alone.map(({ crmId }) => crmId),
  );
  for (const { crmId, identity } of alone) {
    const row = recalled.get(crmId);
    if (row && isReadable(row, identity, rules)) shares.set(crmId, toPaidJob(row));
  }
  return shares;
}

/** True if the result can still be read and matches the contact's details. */
export function isReadable(
  { identity, jobId, paidAt }: RecalledRow,
  present: string,
  { since }: Pick<SharingRules, 'since'>,
): boolean {
  return jobId !== null && paidAt >= since && changedParts(identity, present).length === 0;
}

function toPaidJob({ trackingId, submissionId, jobId, paidAt }: RecalledRow): PaidJob {
  const fate = jobId === null ? 'lost' : 'running';
  return { trackingId, submissionId, jobId, submittedAt: paidAt, fate };
}

/** Returns the people in open submissions. donor-sync does not know whether it has paid for these people. */
export async function findOpenPersons(
  reader: Reader,
  partnerKey: string,
  contacts: readonly Pick<SharingContact, 'person'>[],
): Promise<Set<string>> {
  const wanted = new Set(contacts.flatMap(({ person }) => person ?? []));
  if (wanted.size === 0) return wanted;
  const { rows } = await openPersons(reader, { partnerKey });
  return new Set(
    rows.flatMap(({ person }) => (person !== null && wanted.has(person) ? person : [])),
  );
}

/**
 * Returns, for each person, the submission time of a job that was running at this time (epoch ms). The results of these
 * jobs are no longer reliable.
 */
export async function findOldJobs(
  reader: Reader,
  persons: readonly string[],
  before: number,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const batch of inFilledBatches(persons)) {
    const rows = await reader
      .selectFrom('jobs')
      .select('person')
      .select((eb) => eb.fn.max('submitted_at').as('paid_at'))
      .where('person', 'in', batch)
      .where('state', 'in', ['processing', 'completed'])
      .where('submitted_at', '<', before)
      .groupBy('person')
      .execute();
    for (const { person, paid_at } of rows) found.set(person ?? '', Number(paid_at));
  }
  return found;
}

const openPersons = preparedRead((db, { partnerKey }: Slots<{ partnerKey: string }>) =>
  db
    .selectFrom('jobs')
    .innerJoin('submissions', 'submissions.id', 'jobs.submission_id')
    .select('jobs.person')
    .where('submissions.partner_key', '=', partnerKey)
    .where('submissions.state', 'in', OPEN_STATES)
    .where('jobs.state', '=', 'intended')
    .where('jobs.person', 'is not', null)
    .compile(),
);

/** Finds the newest job after this time. Jobs with a response have precedence. */
function newestAfter(jobs: readonly PaidJob[], after: number): PaidJob | undefined {
  const newer = jobs.filter(({ submittedAt }) => submittedAt > after);
  const answered = newer.filter(({ fate }) => fate !== 'lost');
  return (answered.length > 0 ? answered : newer)
    .sort((a, b) => b.submittedAt - a.submittedAt)
    .at(0);
}

async function findPaid(
  reader: Reader,
  persons: readonly string[],
  { since, heedsLost }: SharingRules,
): Promise<Map<string, PaidJob[]>> {
  const found = new Map<string, PaidJob[]>();
  for (const batch of inFilledBatches(persons)) {
    const { rows } = await paidRows(reader, { persons: batch, since });
    for (const [person, jobs] of jobsByPerson(rows)) {
      const usable = jobs.flatMap(({ fate, ...job }) =>
        fate === 'gone' || (fate === 'lost' && !heedsLost) ? [] : [{ ...job, fate }],
      );
      if (usable.length > 0) found.set(person, usable);
    }
    for (const row of fromRows((await recalledRows(reader, { persons: batch, since })).rows)) {
      if (row.person === null || (row.jobId === null && !heedsLost)) continue;
      found.set(row.person, [...(found.get(row.person) ?? []), toPaidJob(row)]);
    }
  }
  return found;
}

/** Selects the payments for these people since the restored backup. */
const recalledRows = preparedRead(
  (db, { persons, since }: Slots<{ persons: readonly string[]; since: number }>) =>
    db
      .selectFrom('recalled_payments')
      .selectAll()
      .where('person', 'in', persons)
      .where('paid_at', '>=', since)
      .compile(),
);

/** Selects one row per job and state, even if many contacts share the job. */
const paidRows = preparedRead(
  (db, { persons, since }: Slots<{ persons: readonly string[]; since: number }>) =>
    db
      .selectFrom('jobs')
      .select(['person', 'job_id', 'state', 'submitted_at'])
      .select((eb) => [
        eb.fn.min('submission_id').as('submission_id'),
        eb.fn.coalesce(eb.fn.max('shared_from'), eb.fn.min('tracking_id')).as('tracking_id'),
      ])
      .where('person', 'in', persons)
      .where('submitted_at', '>=', since)
      .where('state', 'in', [...FATES.keys()])
      .where((eb) =>
        eb.or([
          eb('state', '<>', 'lost'),
          eb.exists(buildHoldsQuery(db, null)),
          // The decision is about the person, even if the contact has left or opted out.
          eb.and([
            eb.exists(buildHoldsQuery(db, 'superseded')),
            eb.not(eb.exists(buildDecisionsQuery(db))),
          ]),
        ]),
      )
      .groupBy(['person', 'job_id', 'state', 'submitted_at'])
      .compile(),
);

/** Selects decisions about lost responses that are open (null) or have ended without an answer. */
function buildHoldsQuery(reader: Reader, decision: 'superseded' | null) {
  return reader
    .selectFrom('questions')
    .select('questions.id')
    .where(sql.ref('questions.id'), '=', sql.ref('jobs.tracking_id'))
    .where('questions.decision', 'is not distinct from', decision);
}

/** Selects users' answers. After an answer, the person's contacts no longer wait. */
function buildDecisionsQuery(reader: Reader) {
  return reader
    .selectFrom('jobs as lost')
    .innerJoin('questions', 'questions.id', 'lost.tracking_id')
    .select('questions.id')
    .where(sql.ref('lost.person'), '=', sql.ref('jobs.person'))
    .where(sql.ref('questions.decided_at'), '>=', sql.ref('jobs.submitted_at'))
    .where('questions.decision', 'in', QUESTION_DECISIONS);
}

type PaidRow = Awaited<ReturnType<typeof paidRows>>['rows'][number];
type KnownJob = Omit<PaidJob, 'fate'> & { fate: Fate | 'gone' };

function jobsByPerson(rows: readonly PaidRow[]): Map<string, KnownJob[]> {
  const ranks = [...FATES.keys()];
  const telling = rows.toSorted((a, b) => ranks.indexOf(b.state) - ranks.indexOf(a.state));
  const found = new Map<string, Map<string, KnownJob>>();
  for (const row of telling) {
    const fate = FATES.get(row.state);
    if (row.person === null || fate === undefined) continue;
    const jobs = found.get(row.person) ?? new Map<string, KnownJob>();
    found.set(row.person, jobs);
    const id = row.job_id ?? row.tracking_id;
    if (jobs.has(id)) continue;
    jobs.set(id, {
      trackingId: row.tracking_id,
      submissionId: row.submission_id,
      jobId: row.job_id,
      submittedAt: row.submitted_at,
      fate,
    });
  }
  return new Map([...found].map(([person, jobs]) => [person, [...jobs.values()]]));
}

/** Returns the time at which each contact was last submitted as its current person. */
async function findOwn(
  reader: Reader,
  integrationId: string,
  contacts: readonly SharingContact[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const batch of inFilledBatches(contacts)) {
    const rows = await reader
      .selectFrom('jobs')
      .select(['crm_id', 'person', (eb) => eb.fn.max('submitted_at').as('submitted_at')])
      .where('integration_id', '=', integrationId)
      .where(
        'crm_id',
        'in',
        batch.map(({ crmId }) => crmId),
      )
      .where('state', '<>', 'unpaid')
      .groupBy(['crm_id', 'person'])
      .execute();
    for (const row of rows) found.set(`${row.crm_id}\n${row.person}`, Number(row.submitted_at));
  }
  return found;
}
