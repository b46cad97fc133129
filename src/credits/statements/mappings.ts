/**
 * The mappings of an integration: which of them are accepted, and how many of the contacts that
 * were paid for under each the service knew.
 */

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

/** What became of contacts that were paid for. */
export interface Answers {
  /** How many the service has answered. */
  answered: number;
  /** Of these, those whose profile passed the guard. */
  known: number;
}

/** Contacts that were paid for and have no answer yet. */
export interface Unanswered {
  /** Submitted, running, or done and not yet delivered: this run may still see their answers. */
  open: number;
  /** Tried by this run in vain: a later run sees their answers. */
  stuck: number;
}

/** Before any answer; what has none has no time either. */
const EVER = -1;

/** A job whose answer is still to come, as far as its own row says. */
const UNANSWERED_STATES: JobState[] = ['intended', 'processing', 'completed'];

export function findMapping(
  reader: Reader,
  integrationId: string,
  id: string,
): Promise<MappingRecord | undefined> {
  return selectMapping(reader, { integrationId, id }).then(({ rows }) => maybeFromRow(rows[0]));
}

/** Notes a mapping that is in use. */
export async function recordMappingInUse(trx: RunTransaction, id: string): Promise<void> {
  await insertMapping(trx, { integrationId: trx.lease.integrationId, id, now: trx.clock.now() });
}

/** The trial was passed. */
export async function acceptMappingByTrial(trx: RunTransaction, id: string): Promise<void> {
  await trx
    .updateTable('mappings')
    .set({ accepted_at: trx.clock.now(), accepted_by: 'trial' })
    .where('integration_id', '=', trx.lease.integrationId)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .execute();
}

/** Too few are known by now; what a person has accepted stays accepted. */
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
 * A person accepts the match rate of this mapping, whatever it is. Needs no lease: a run that
 * goes on looks at it before it spends.
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

/** The last answers about contacts that were paid for, at most `limit`, after `since` if given. */
export async function countAnswersByMapping(
  reader: Reader,
  integrationId: string,
  id: string,
  { limit, since = EVER }: { limit: number; since?: number },
): Promise<Answers> {
  const { rows } = await selectAnswers(reader, { integrationId, id, since, limit });
  return {
    answered: rows.length,
    known: rows.filter(({ known }) => known === 1).length,
  };
}

/** Contacts that were paid for and have no answer, as this run sees them. */
export async function countUnansweredByMapping(
  reader: Reader,
  integrationId: string,
  id: string,
  run: { id: string; partnerKey: string },
): Promise<Unanswered> {
  const { rows } = await selectUnanswered(reader, { integrationId, id });
  const inVain: readonly string[] = TRIED_IN_VAIN;
  const stuck = rows.filter((row) => {
    // An open submission of another key is settled by a run that has that key.
    if (row.state === 'intended') return row.partner_key !== run.partnerKey;
    const { state, outcome_run, outcome_reason } = row;
    return state === 'completed' && outcome_run === run.id && inVain.includes(outcome_reason);
  }).length;
  return { open: rows.length - stuck, stuck };
}

type OfMapping = { integrationId: string; id: string };

/** Jobs of this mapping that cost a credit; those that share one say nothing new. */
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
      .select('jobs.known')
      .where('jobs.answered_at', '>', since)
      .orderBy('jobs.answered_at', 'desc')
      .limit(limit)
      .compile(),
);

const selectUnanswered = preparedRead((db, mapping: Slots<OfMapping>) =>
  paidJobs(db, mapping)
    .innerJoin('contacts', (join) =>
      join
        .onRef('contacts.integration_id', '=', 'jobs.integration_id')
        .onRef('contacts.crm_id', '=', 'jobs.crm_id')
        // A contact that left, or was asked for again, gets no answer of this job any more.
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
