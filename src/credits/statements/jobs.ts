import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import { findAnswered } from '../../contacts/answered.ts';
import { type ContactRecord, findRows } from '../../contacts/contacts.ts';
import { inheritLater } from '../../contacts/departures.ts';
import { move } from '../../contacts/life/apply-events.ts';
import type { OutcomeReason } from '../../core/outcome.ts';
import { type FromRow, fromRow, fromRows } from '../../database/from-row.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import { prepared, preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { RunContext } from '../../sync/statements/runs.ts';

/** A job that the service has not finished. */
export interface RunningJob {
  trackingId: string;
  jobId: string;
  submittedAt: number;
}

/** A finished job, with the contact to which its profile belongs. */
export interface ReadyJob {
  jobId: string;
  job: FromRow<Selectable<Tables['jobs']>>;
  contact: ContactRecord;
}

/** The result of a poll. The jobs are listed by tracking ID. */
export interface Progress {
  completed: readonly string[];
  failed: readonly string[];
  vanished: readonly string[];
  tooOld: readonly string[];
}

export async function listRunningJobs(
  reader: Reader,
  integrationId: string,
  limit: number,
  after: RunningJob | null,
): Promise<RunningJob[]> {
  const { rows } =
    after === null
      ? await listRunning(reader, { integrationId, limit })
      : await listRunningAfter(reader, { integrationId, limit, ...after });
  return rows.flatMap((row) =>
    row.job_id === null
      ? []
      : [{ trackingId: row.tracking_id, jobId: row.job_id, submittedAt: row.submitted_at }],
  );
}

/**
 * Counts all running jobs, and the running jobs after the given job. Also returns the submission time of the oldest
 * running job after the given job. If no job is given, all running jobs count.
 */
export async function countRunningJobs(
  reader: Reader,
  integrationId: string,
  after: RunningJob | null,
): Promise<{ all: number; fresh: number; oldestFreshAt: number | null }> {
  const { rows } =
    after === null
      ? await countRunning(reader, { integrationId })
      : await countRunningAfter(reader, { integrationId, ...after });
  const [counted] = rows;
  return {
    all: Number(counted?.all ?? 0),
    fresh: Number(counted?.fresh ?? 0),
    oldestFreshAt: counted?.oldest ?? null,
  };
}

/** A paid job that has ended without a result. */
export interface LostJob {
  trackingId: string;
  submissionId: string;
  crmId: string;
  /** The fingerprint of the submitted identity. */
  identity: string;
  /** The fingerprint of the key and the person. Null if the job is not shared. */
  person: string | null;
  /** The time at which the job was submitted (epoch ms). */
  submittedAt: number;
}

/** Records the result of a poll. Resolves with the paid jobs that have ended without a result. */
export async function recordJobProgress(
  trx: RunTransaction,
  runId: string,
  progress: Progress,
): Promise<LostJob[]> {
  const run = { id: runId, now: trx.clock.now() };
  for (const batch of inFilledBatches(progress.completed)) {
    const { rows } = await complete(trx, { trackingIds: batch });
    await move(trx, trx.lease, 'jobDone', rows, run);
  }
  const failed = await closeJobs(trx, trx.lease, run, progress.failed, 'failed', 'no_match');
  const lost = [
    ...(await closeJobs(trx, trx.lease, run, progress.vanished, 'vanished', 'job_vanished')),
    ...(await closeJobs(trx, trx.lease, run, progress.tooOld, 'vanished', 'job_too_old')),
  ];
  // All jobs are closed first, because another contact might otherwise inherit one of these jobs.
  await inheritLater(trx, trx.lease, run, [...failed, ...lost]);
  return fromRows(lost);
}

export async function countCompletedJobs(reader: Reader, integrationId: string): Promise<number> {
  const { rows } = await countCompleted(reader, { integrationId });
  return Number(rows[0]?.count ?? 0);
}

/**
 * Lists jobs whose profile waits for delivery, oldest first. Skips the given jobs, and jobs that this run has tried
 * without success.
 */
export async function listReadyJobs(
  reader: Reader,
  integrationId: string,
  { runId, limit, except }: { runId: string; limit: number; except: ReadonlySet<string> },
): Promise<ReadyJob[]> {
  const { rows: jobs } = await listReady(reader, {
    integrationId,
    runId,
    limit: limit + except.size,
  });
  const wanted = jobs.filter((job) => !except.has(job.tracking_id)).slice(0, limit);
  const contacts = await findRows(
    reader,
    integrationId,
    wanted.map((job) => job.crm_id),
  );
  return wanted.flatMap((job) => {
    const contact = contacts.get(job.crm_id);
    return contact && job.job_id !== null
      ? [{ jobId: job.job_id, job: fromRow(job), contact: fromRow(contact) }]
      : [];
  });
}

/** Returns the run of a submission. Returns null if a different integration sent the submission. */
export async function findRunOfSubmission(
  reader: Reader,
  integrationId: string,
  submissionId: string,
): Promise<string | null> {
  const row = await reader
    .selectFrom('submissions')
    .select('run_id')
    .where('id', '=', submissionId)
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
  return row?.run_id ?? null;
}

/** Returns the job IDs for the tracking IDs. Skips jobs without a response. */
export async function findJobIds(
  reader: Reader,
  trackingIds: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const batch of inFilledBatches(trackingIds)) {
    const rows = await reader
      .selectFrom('jobs')
      .select(['tracking_id', 'job_id'])
      .where('tracking_id', 'in', batch)
      .execute();
    for (const row of rows) if (row.job_id !== null) found.set(row.tracking_id, row.job_id);
  }
  return found;
}

/**
 * The columns of a job that has ended without a profile. A later run submits the contact of a vanished job again, if
 * the contact has no result.
 */
const ENDED_COLUMNS = [
  'tracking_id',
  'submission_id',
  'crm_id',
  'identity',
  'person',
  'submitted_at',
] as const;

type EndedJob = Pick<Selectable<Tables['jobs']>, (typeof ENDED_COLUMNS)[number]>;

async function closeJobs(
  trx: RunTransaction,
  lease: Lease,
  run: RunContext,
  trackingIds: readonly string[],
  state: 'failed' | 'vanished',
  outcome_reason: OutcomeReason,
): Promise<EndedJob[]> {
  const ended: EndedJob[] = [];
  for (const batch of inFilledBatches(trackingIds)) {
    const jobs = await trx
      .updateTable('jobs')
      .set({
        state,
        closed_at: run.now,
        // If a job has failed, the service does not know the person. If a job has vanished, this means nothing about
        // the person.
        ...(state === 'failed' ? answered(0, run.now) : {}),
      })
      .where('tracking_id', 'in', batch)
      .where('state', 'in', ['processing', 'completed'])
      .returning(ENDED_COLUMNS)
      .execute();
    const event = state === 'failed' ? 'jobFailed' : 'jobVanished';
    await move(trx, lease, event, jobs, run, { outcome_reason });
    if (state === 'vanished') await keepAnswers(trx, lease, run, jobs);
    ended.push(...jobs);
  }
  return ended;
}

/**
 * Keeps the answers of contacts that got a vanished job through a merge. donor-sync does not submit these contacts
 * again with the same details.
 */
async function keepAnswers(
  trx: RunTransaction,
  lease: Lease,
  run: RunContext,
  jobs: readonly { crm_id: string }[],
): Promise<void> {
  const ids = jobs.map(({ crm_id }) => crm_id);
  const kept = [...(await findAnswered(trx, lease.integrationId, ids))]
    .filter(([, { isLast, isLost }]) => isLast && !isLost)
    .map(([crm_id, { identity, submittedAt }]) => ({
      crm_id,
      asked_identity: identity,
      asked_at: submittedAt,
    }));
  await move(trx, lease, 'answerStands', kept, run);
}

const complete = prepared((db, { trackingIds }: Slots<{ trackingIds: readonly string[] }>) =>
  db
    .updateTable('jobs')
    .set({ state: 'completed' })
    .where('tracking_id', 'in', trackingIds)
    .where('state', 'in', ['processing', 'completed'])
    .returning(['crm_id', 'tracking_id'])
    .compile(),
);

/** Counts completed jobs. Stations read this number whenever they look for work. */
const countCompleted = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('integration_id', '=', integrationId)
    .where('state', '=', 'completed')
    .compile(),
);

const listReady = preparedRead(
  (
    db,
    { integrationId, runId, limit }: Slots<{ integrationId: string; runId: string; limit: number }>,
  ) =>
    db
      .selectFrom('jobs')
      .innerJoin('contacts', (join) =>
        join
          .onRef('contacts.integration_id', '=', 'jobs.integration_id')
          .onRef('contacts.crm_id', '=', 'jobs.crm_id')
          .onRef('contacts.tracking_id', '=', 'jobs.tracking_id'),
      )
      .selectAll('jobs')
      .where('jobs.integration_id', '=', integrationId)
      .where('jobs.state', '=', 'completed')
      .where('contacts.state', '=', 'ready')
      .where((eb) =>
        eb.not(
          eb.and([
            eb('contacts.outcome_run', '=', runId),
            eb('contacts.outcome_reason', 'in', TRIED_IN_VAIN),
          ]),
        ),
      )
      .orderBy('jobs.submitted_at')
      .orderBy('jobs.tracking_id')
      .limit(limit)
      .compile(),
);

const countRunning = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  countedFrom(running(db, integrationId), null).compile(),
);

const countRunningAfter = preparedRead(
  (db, { integrationId, ...after }: Slots<{ integrationId: string } & Departure>) =>
    countedFrom(running(db, integrationId), after).compile(),
);

const listRunning = preparedRead(
  (db, { integrationId, limit }: Slots<{ integrationId: string; limit: number }>) =>
    listedFrom(running(db, integrationId), limit).compile(),
);

const listRunningAfter = preparedRead(
  (
    db,
    { integrationId, limit, ...after }: Slots<{ integrationId: string; limit: number } & Departure>,
  ) =>
    listedFrom(
      running(db, integrationId).where((eb) => isAfter(eb, after)),
      limit,
    ).compile(),
);

function running(reader: Reader, integrationId: Expression<string>) {
  return reader
    .selectFrom('jobs')
    .where('integration_id', '=', integrationId)
    .where('state', '=', 'processing');
}

function listedFrom(jobs: ReturnType<typeof running>, limit: Expression<number>) {
  return jobs
    .select(['tracking_id', 'job_id', 'submitted_at'])
    .orderBy('submitted_at')
    .orderBy('tracking_id')
    .limit(limit);
}

function countedFrom(jobs: ReturnType<typeof running>, after: Slots<Departure> | null) {
  return jobs.select((eb) => [
    eb.fn.countAll().as('all'),
    eb.fn.countAll().filterWhere(isAfter(eb, after)).as('fresh'),
    eb.fn.min('submitted_at').filterWhere(isAfter(eb, after)).as('oldest'),
  ]);
}

/** A job's position in the order of submissions. */
type Departure = { submittedAt: number; trackingId: string };

/** Selects the jobs after the given job, or all jobs if no job is given. */
function isAfter(
  eb: ExpressionBuilder<Tables, 'jobs'>,
  after: Departure | Slots<Departure> | null,
): Expression<SqlBool> {
  if (after === null) return eb.lit(true);
  return eb.or([
    eb('submitted_at', '>', after.submittedAt),
    eb.and([eb('submitted_at', '=', after.submittedAt), eb('tracking_id', '>', after.trackingId)]),
  ]);
}

/** Returns the columns after the service has reported whether it recognised the person. */
export function answered(known: 0 | 1, now: number): { known: 0 | 1; answered_at: number } {
  return { known, answered_at: now };
}

/** The outcomes after which the same run does not try the delivery again. */
export const TRIED_IN_VAIN: OutcomeReason[] = [
  'crm_refused',
  'crm_busy',
  'crm_passing',
  'profile_unreadable',
  'job_running',
  'mark_unknown',
  'contacts_missing',
];
