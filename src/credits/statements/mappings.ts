import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, maybeFromRow } from '../../database/from-row.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import type { JobState } from '../../database/tables/credits.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { TRIED_IN_VAIN } from './jobs.ts';

export type MappingRecord = FromRow<Selectable<Tables['mappings']>>;

/** The results of contacts that were paid for. */
export interface Answers {
  /** The number of contacts with an answer. */
  answered: number;
  known: number;
}

/** The paid contacts without a result. */
export interface Unanswered {
  /**
   * The number of contacts whose result this run may still get. Their jobs are submitted, running, or done and not
   * delivered yet.
   */
  open: number;
  /**
   * The number of contacts whose submission failed in this run. Only a later run can get the results of these contacts.
   */
  stuck: number;
}

/** A time before every answer. A job without an answer has no answer time. */
const EVER = -1;

/** Jobs in these states have no answer yet. */
const UNANSWERED_STATES: JobState[] = ['intended', 'processing', 'completed'];

export function findMapping(
  reader: Reader,
  integrationId: string,
  id: string,
): Promise<MappingRecord | undefined> {
  return selectMapping(reader, { integrationId, id }).then(({ rows }) => maybeFromRow(rows[0]));
}

export async function recordMappingInUse(trx: RunTransaction, id: string): Promise<void> {
  await insertMapping(trx, { integrationId: trx.lease.integrationId, id, now: trx.clock.now() });
}

/** Records that the mapping has passed the trial. */
export async function acceptMappingByTrial(trx: RunTransaction, id: string): Promise<void> {
  await trx
    .updateTable('mappings')
    .set({ accepted_at: trx.clock.now(), accepted_by: 'trial' })
    .where('integration_id', '=', trx.lease.integrationId)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .execute();
}

/** Records that the service recognises too few people. If a user has accepted the mapping, it remains accepted. */
export async function withdrawMapping(trx: RunTransaction, id: string): Promise<void> {
  await trx
    .updateTable('mappings')
    .set({ accepted_at: null })
    .where('integration_id', '=', trx.lease.integrationId)
    .where('id', '=', id)
    .where('accepted_by', '<>', 'person')
    .execute();
}

/**
 * Records that a user accepts the match rate of this mapping. Needs no lease, because a run in progress reads this
 * before it spends credits.
 */
export async function acceptMappingByPerson(
  trx: ActorTransaction,
  integrationId: string,
  id: string,
): Promise<void> {
  const accepted = { accepted_at: trx.clock.now(), accepted_by: 'person' as const };

  await trx
    .insertInto('mappings')
    .values({ integration_id: integrationId, id, first_seen_at: trx.clock.now(), ...accepted })
    .onConflict((c) => c.columns(['integration_id', 'id']).doUpdateSet(accepted))
    .execute();
  await recordEntry(trx, { action: 'match_rate.accepted', integrationId });
}

/** Returns the last results of paid contacts, at most `limit`. `since` excludes earlier results. */
export async function countAnswersByMapping(
  reader: Reader,
  integrationId: string,
  id: string,
  { limit, since = EVER }: { limit: number; since?: number },
): Promise<Answers> {
  const { rows } = await selectAnswers(reader, { integrationId, id, since, limit });
  return toAnswers(rows, 0);
}

/**
 * Counts results, including recognised contacts whose profiles are not fetched yet. The service reports unknown
 * contacts immediately, but profiles arrive one after the other. Without the recognised contacts, the last results
 * might contain no recognised contact.
 */
export async function countAnswersWithRecognised(
  reader: Reader,
  integrationId: string,
  id: string,
  { limit, since = EVER }: { limit: number; since?: number },
): Promise<Answers> {
  const { rows } = await selectAnswers(reader, { integrationId, id, since, limit });
  const sentSince = Math.min(...rows.map((row) => row.submitted_at), Number.MAX_SAFE_INTEGER);
  const recognised = await selectRecognised(reader, { integrationId, id, sentSince });
  return toAnswers(rows, Number(recognised.rows[0]?.count ?? 0));
}

function toAnswers(rows: readonly { known: number | null }[], alsoKnown: number): Answers {
  const known = rows.filter((row) => row.known === 1).length;
  return { answered: rows.length + alsoKnown, known: known + alsoKnown };
}

/** Returns the numbers of paid contacts without a result, from this run's point of view. */
export async function countUnansweredByMapping(
  reader: Reader,
  integrationId: string,
  id: string,
  run: { id: string; partnerKey: string },
): Promise<Unanswered> {
  const { rows } = await selectUnanswered(reader, { integrationId, id });
  const inVain: readonly string[] = TRIED_IN_VAIN;
  const stuck = rows.filter((row) => {
    // The open submissions of former keys are handled at the start of a run. This run gets no result for submissions of
    // former keys.
    if (row.state === 'intended') return row.partner_key !== run.partnerKey;
    const { state, outcome_run, outcome_reason } = row;
    return state === 'completed' && outcome_run === run.id && inVain.includes(outcome_reason);
  }).length;
  return { open: rows.length - stuck, stuck };
}

type OfMapping = { integrationId: string; id: string };

/** Selects paid jobs. Jobs that share another job's credit add no information, so they are left out. */
function paidJobs(reader: Reader, { integrationId, id }: Slots<OfMapping>) {
  return reader
    .selectFrom('jobs')
    .innerJoin('submissions', 'submissions.id', 'jobs.submission_id')
    .where('jobs.integration_id', '=', integrationId)
    .where('jobs.shared_from', 'is', null)
    .where('submissions.mapping', '=', id);
}

const selectAnswers = preparedRead(
  (db, { since, limit, ...mapping }: Slots<OfMapping & { since: number; limit: number }>) =>
    paidJobs(db, mapping)
      .select(['jobs.known', 'jobs.submitted_at'])
      .where('jobs.answered_at', '>', since)
      .orderBy('jobs.answered_at', 'desc')
      .limit(limit)
      .compile(),
);

const selectRecognised = preparedRead(
  (db, { sentSince, ...mapping }: Slots<OfMapping & { sentSince: number }>) =>
    paidJobs(db, mapping)
      .select(({ fn }) => fn.countAll().as('count'))
      .where('jobs.state', '=', 'completed')
      .where('jobs.submitted_at', '>=', sentSince)
      .compile(),
);

const selectUnanswered = preparedRead((db, mapping: Slots<OfMapping>) =>
  paidJobs(db, mapping)
    .innerJoin('contacts', (join) =>
      join
        .onRef('contacts.integration_id', '=', 'jobs.integration_id')
        .onRef('contacts.crm_id', '=', 'jobs.crm_id')
        // If a contact has left or was submitted again, it does not get the result of this job.
        .onRef('contacts.tracking_id', '=', 'jobs.tracking_id'),
    )
    .select(['jobs.state', 'contacts.outcome_run', 'contacts.outcome_reason'])
    .select('submissions.partner_key')
    .where('jobs.known', 'is', null)
    .where('jobs.state', 'in', UNANSWERED_STATES)
    .where('contacts.state', 'in', ['submitted', 'ready'])
    .compile(),
);

const insertMapping = prepared((db, { now, ...mapping }: Slots<OfMapping & { now: number }>) =>
  db
    .insertInto('mappings')
    .values({ integration_id: mapping.integrationId, id: mapping.id, first_seen_at: now })
    .onConflict((c) => c.doNothing())
    .compile(),
);

const selectMapping = preparedRead(
  (db, { integrationId, id }: Slots<{ integrationId: string; id: string }>) =>
    db
      .selectFrom('mappings')
      .selectAll()
      .where('integration_id', '=', integrationId)
      .where('id', '=', id)
      .compile(),
);
