/**
 * Deletes data at the end of its retention period. Keeps data on which money or the ownership of values depends: paid
 * identities, fingerprints of values that donor-sync wrote, and decisions about lost responses. Paid identities of
 * contacts that have left the CRM are also kept. The retention also keeps the blocks of erased people.
 */

import { OPT_OUT_KIND } from '../../contacts/many-at-once/opt-outs.ts';
import { listContactKinds } from '../../core/questions/question-kinds.ts';
import type { Retention } from '../../core/retention.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import type { JobState } from '../../database/tables/credits.ts';
import { recordEntry } from '../audit/record.ts';
import { BESIDE_CONTACTS } from './contact-places.ts';

export type Purged = Record<PurgedWhat, number>;

/** The data that is deleted in one transaction, for each retention setting. */
const PURGES = {
  outcomes: purgeOutcomes,
  previousValues: purgePreviousValues,
  removedContacts: purgeRemovedContacts,
} as const satisfies Partial<Record<keyof Retention, PurgeBatch>>;

type PurgedWhat = keyof typeof PURGES;

const WHAT = ['outcomes', 'previousValues', 'removedContacts'] as const satisfies PurgedWhat[];

/**
 * Deletes an integration's rows that are older than this time (epoch ms), and returns their number. Deletes at most
 * `PORTION` rows.
 */
type PurgeBatch = (trx: RunTransaction, integrationId: string, before: number) => Promise<number>;

const PORTION = 2_000;
const DAY_MS = 86_400_000;

/**
 * Replaces a write's previous values after they were deleted. An encrypted value is never empty, so the empty text is
 * unambiguous.
 */
export const VALUES_PURGED = '';

/**
 * Deletes expired data. Each batch of expired data is a transaction with its audit entry. If the work is interrupted,
 * the next call continues.
 */
export async function purgeExpired(
  { reader, checkpoint }: Pick<Store, 'reader' | 'checkpoint'>,
  lease: Lease,
  retention: Retention,
): Promise<Purged> {
  const purged: Purged = { outcomes: 0, previousValues: 0, removedContacts: 0 };
  const { integrationId } = lease;
  for (const what of WHAT) {
    const days = retention[what] ?? null;
    if (days === null) continue;
    const before = reader.clock.now() - days * DAY_MS;
    for (let rows = PORTION; rows >= PORTION; purged[what] += rows) {
      rows = await checkpoint(lease, async (trx) => {
        const gone = await PURGES[what](trx, integrationId, before);
        const details = { what, rows: gone, days };
        if (gone > 0) await recordEntry(trx, { action: 'data.purged', integrationId, details });
        return gone;
      });
    }
  }
  return purged;
}

/** The kinds of decisions that are no longer used after an answer. */
const PAST_KINDS = listContactKinds(({ endsWithAnswer }) => endsWithAnswer);

/** The states of jobs whose profile decision has not been carried out yet. */
const UNDECIDED_JOBS: JobState[] = ['processing', 'completed', 'held'];

async function purgeOutcomes(
  trx: RunTransaction,
  integrationId: string,
  before: number,
): Promise<number> {
  let gone = 0n;
  for (const ids of inFilledBatches(await listPastQuestions(trx, integrationId, before))) {
    const questions = await trx.deleteFrom('questions').where('id', 'in', ids).executeTakeFirst();
    gone += questions.numDeletedRows;
  }
  const runs = await trx
    .updateTable('runs')
    .set({ contact: null })
    .where('integration_id', '=', integrationId)
    .where('finished_at', '<', before)
    .where('contact', 'not in', ['', '*'])
    .executeTakeFirst();
  return Number(gone + runs.numUpdatedRows);
}

/**
 * Lists at most `PORTION` answered decisions. Listing and deleting are separate statements, because Postgres has poor
 * statistics for a table that has just grown. In one statement, Postgres would compare each row with each row of a
 * subquery.
 */
async function listPastQuestions(
  trx: RunTransaction,
  integrationId: string,
  before: number,
): Promise<string[]> {
  const rows = await trx
    .selectFrom('questions as past')
    .select('past.id')
    .where('past.integration_id', '=', integrationId)
    .where('past.decided_at', '<', before)
    .where(({ or, eb: of, not, exists, selectFrom }) =>
      or([
        of('past.kind', 'in', PAST_KINDS),
        // An approved erasure is still due. If a user decided to keep a contact, donor-sync must not open the same
        // decision again.
        of.and([of('past.kind', '=', 'erasure_requested'), of('past.decision', '=', 'superseded')]),
        // An answer about an opt-out mark remains valid while the contact has the mark.
        of.and([
          of('past.kind', '=', OPT_OUT_KIND),
          not(
            exists(
              selectFrom('kept_profiles as k')
                .select('k.crm_id')
                .whereRef('k.integration_id', '=', 'past.integration_id')
                .whereRef('k.crm_id', '=', 'past.crm_id')
                .where('k.opted_out_at', 'is not', null),
            ),
          ),
        ]),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs')
            .select('jobs.tracking_id')
            .whereRef('jobs.tracking_id', '=', 'past.tracking_id')
            .where('jobs.state', 'in', UNDECIDED_JOBS),
        ),
      ),
    )
    .limit(PORTION)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Deletes previous values. Keeps the fingerprints of written values, because they identify the values that donor-sync
 * wrote.
 */
async function purgePreviousValues(
  trx: RunTransaction,
  integrationId: string,
  before: number,
): Promise<number> {
  const old = await trx
    .selectFrom('writes')
    .select('id')
    .where('integration_id', '=', integrationId)
    .where('written_at', '<', before)
    .where('state', '<>', 'intended')
    .where('before', '<>', VALUES_PURGED)
    .limit(PORTION)
    .execute();
  let emptied = 0n;
  for (const ids of inFilledBatches(old.map(({ id }) => id))) {
    const { numUpdatedRows } = await trx
      .updateTable('writes')
      .set({ before: VALUES_PURGED })
      .where('id', 'in', ids)
      .executeTakeFirst();
    emptied += numUpdatedRows;
  }
  return Number(emptied);
}

async function purgeRemovedContacts(
  trx: RunTransaction,
  integrationId: string,
  before: number,
): Promise<number> {
  const removed = trx
    .selectFrom('contacts')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('state', '=', 'removed')
    .where('outcome_at', '<', before);
  let gone = 0n;
  for (const table of BESIDE_CONTACTS) {
    const { numDeletedRows } = await trx
      .deleteFrom(table)
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', removed)
      .executeTakeFirst();
    gone += numDeletedRows;
  }
  const { numDeletedRows: texts } = await trx
    .deleteFrom('foreign_texts')
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', removed)
    .executeTakeFirst();
  const { numDeletedRows: rows } = await trx
    .deleteFrom('run_rows')
    .where('crm_id', 'in', removed)
    .where('run_id', 'in', (eb) =>
      eb
        .selectFrom('runs')
        .select('id')
        .where('integration_id', '=', integrationId)
        .where('finished_at', '<', before),
    )
    .executeTakeFirst();
  const { numUpdatedRows: values } = await trx
    .updateTable('writes')
    .set({ before: VALUES_PURGED })
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', removed)
    .where('state', '<>', 'intended')
    .where('before', '<>', VALUES_PURGED)
    .executeTakeFirst();
  return Number(gone + texts + rows + values);
}
