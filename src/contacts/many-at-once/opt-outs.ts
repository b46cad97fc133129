/**
 * Counts contacts with a kept profile that opted out or objected at about the same time. This file also stores the
 * question whether the marks are correct. `src/sync/guards/opt-outs.ts` decides when a run opens the question.
 */

import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { BY_OBJECTION } from '../../core/questions/mass-opt-out.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches, ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { openQuestions } from '../../decisions/statements/open-questions.ts';
import { findLastConfirmation, findOpenBatch } from './questions.ts';

export const OPT_OUT_KIND = 'mass_opt_out' as const;

/** The value of `contacts.has_opted_out` that means an objection. */
export const OBJECTS = 2;

export interface OptOutCounts {
  /** The number of marks that no run has recorded before. */
  unrecorded: number;
  /** The number of marks that were set within the window. Marks that a user has decided about are excluded. */
  marked: number;
  /** The number of all contacts with a kept profile. */
  kept: number;
  /** True while a question about opt-outs is open. */
  isOpen: boolean;
}

export async function endCorrectedOptOuts(trx: RunTransaction): Promise<void> {
  const { integrationId } = trx.lease;
  await trx
    .updateTable('kept_profiles')
    .set({ opted_out_at: null })
    .where('integration_id', '=', integrationId)
    .where('opted_out_at', 'is not', null)
    .where('crm_id', 'not in', (eb) => markedIds(eb, integrationId))
    .execute();
  await trx
    .updateTable('questions')
    .set({ decision: 'superseded', decided_at: trx.clock.now() })
    .where('integration_id', '=', integrationId)
    .where('kind', '=', OPT_OUT_KIND)
    .where('decision', 'is', null)
    .where('crm_id', 'not in', (eb) =>
      eb
        .selectFrom('kept_profiles')
        .select('crm_id')
        .where('integration_id', '=', integrationId)
        .where('opted_out_at', 'is not', null),
    )
    .execute();
}

/** Counts opt-out marks. Marks before `since` (epoch ms), and marks before a user's last confirmation, are excluded. */
export async function countOptOuts(
  reader: Reader,
  integrationId: string,
  { since }: { since: number },
): Promise<OptOutCounts> {
  const unrecorded = await readCount(
    undecided(reader, integrationId)
      .where('k.opted_out_at', 'is', null)
      .select((eb) => eb.fn.countAll().as('count')),
  );
  const isOpen = (await findOpenBatch(reader, integrationId, OPT_OUT_KIND)) !== null;
  if (unrecorded === 0 && !isOpen) return { unrecorded, marked: 0, kept: 0, isOpen };
  const from = Math.max(since, await findLastConfirmation(reader, integrationId, OPT_OUT_KIND));
  const set = await readCount(
    undecided(reader, integrationId)
      .where((eb) => eb.or([eb('k.opted_out_at', 'is', null), eb('k.opted_out_at', '>=', from)]))
      .select((eb) => eb.fn.countAll().as('count')),
  );
  const kept = await readCount(
    reader
      .selectFrom('kept_profiles')
      .where('integration_id', '=', integrationId)
      .select((eb) => eb.fn.countAll().as('count')),
  );
  return { unrecorded, marked: set, kept, isOpen };
}

/** Records when opt-out marks were set, without opening a question. */
export async function recordOptOuts(trx: RunTransaction): Promise<void> {
  await trx
    .updateTable('kept_profiles')
    .set({ opted_out_at: trx.clock.now() })
    .where('integration_id', '=', trx.lease.integrationId)
    .where('opted_out_at', 'is', null)
    .where('crm_id', 'in', (eb) => markedIds(eb, trx.lease.integrationId))
    .execute();
}

/**
 * Records opt-out marks, and opens a question about each mark that was set within the window. Later marks join the same
 * batch. `field` is the opt-out field. Resolves with the number of new questions.
 */
export async function holdOptOuts(
  { reader, checkpoint }: Pick<Store, 'reader' | 'checkpoint'>,
  lease: Lease,
  options: { since: number; field: string | null; newId: () => string },
): Promise<number> {
  const batch = (await findOpenBatch(reader, lease.integrationId, OPT_OUT_KIND)) ?? options.newId();
  const from = Math.max(
    options.since,
    await findLastConfirmation(reader, lease.integrationId, OPT_OUT_KIND),
  );
  let held = 0;
  for (let after: string | null = ''; after !== null; ) {
    const begin: string = after;
    const ids = await checkpoint(lease, (trx) =>
      holdSome(trx, lease, {
        ...options,
        batch,
        since: from,
        after: begin,
        now: reader.clock.now(),
      }),
    );
    held += ids.length;
    after = ids.length < ROWS_PER_TRANSACTION ? null : (ids.at(-1) ?? null);
  }
  return held;
}

/** Returns contacts whose opt-out mark is older than this time (epoch ms) and not in doubt. */
export async function listOptOutsToDelete(
  reader: Reader,
  integrationId: string,
  before: number,
): Promise<string[]> {
  const rows = await marked(reader, integrationId)
    .where('k.opted_out_at', '<', before)
    .where('k.donor', '<>', '')
    .where(sql<SqlBool>`not ${IS_IN_DOUBT}`)
    .select('k.crm_id')
    .orderBy('k.crm_id')
    .execute();
  return rows.map(({ crm_id }) => crm_id);
}

/** Lists contacts whose opt-out is in doubt. A mark is in doubt until a user answers the question about it. */
export async function listOptOutsInDoubt(
  reader: Reader,
  integrationId: string,
): Promise<Set<string>> {
  const rows = await marked(reader, integrationId).where(IS_IN_DOUBT).select('k.crm_id').execute();
  return new Set(rows.map(({ crm_id }) => crm_id));
}

/** Selects the kept profiles of marked contacts that are still in the CRM. */
function marked(db: Reader, integrationId: string) {
  return (
    db
      .selectFrom('kept_profiles as k')
      .innerJoin('contacts as c', (join) =>
        join.onRef('c.integration_id', '=', 'k.integration_id').onRef('c.crm_id', '=', 'k.crm_id'),
      )
      .where('k.integration_id', '=', integrationId)
      .where('c.integration_id', '=', integrationId)
      // Few contacts are marked, so this condition uses an index. Otherwise, all contacts would be scanned.
      .where('k.crm_id', 'in', (eb) => markedIds(eb, integrationId))
      .where('c.state', '<>', 'removed')
  );
}

function undecided(db: Reader, integrationId: string) {
  return marked(db, integrationId).where(
    sql<SqlBool>`not exists (${question} and h.decision in ('approved', 'rejected') and h.opened_at >= k.opted_out_at)`,
  );
}

/** The kind is a literal, so that the database uses the index. */
const question = sql`select 1 from questions as h where h.integration_id = k.integration_id
  and h.crm_id = k.crm_id and h.kind = 'mass_opt_out'`;

/** A marked contact's profile is kept until a user has confirmed the mark. */
export const IS_IN_DOUBT = sql<SqlBool>`exists (${question} and (h.decision is null
  or (h.decision = 'rejected' and h.opened_at >= coalesce(k.opted_out_at, 0))))`;

function markedIds(
  eb: Pick<ExpressionBuilder<Tables, 'kept_profiles'>, 'selectFrom'>,
  integrationId: string,
) {
  return eb
    .selectFrom('contacts')
    .select('contacts.crm_id')
    .where('contacts.integration_id', '=', integrationId)
    .where('contacts.has_opted_out', '<>', sql.lit(0));
}

interface HoldOptions {
  since: number;
  field: string | null;
  newId: () => string;
  batch: string;
  after: string;
  now: number;
}

/** Stores the holds and the times of their marks in one transaction. */
async function holdSome(
  trx: RunTransaction,
  { integrationId }: Lease,
  { since, field, newId, batch, after, now }: HoldOptions,
): Promise<string[]> {
  const rows = await undecided(trx, integrationId)
    .where((eb) => eb.or([eb('k.opted_out_at', 'is', null), eb('k.opted_out_at', '>=', since)]))
    .where(sql<SqlBool>`not exists (${question} and h.decision is null)`)
    // A profile that an objection has already deleted is only counted.
    .where('k.donor', '<>', '')
    .where('k.crm_id', '>', after)
    .select(['k.crm_id', 'k.opted_out_at', 'c.has_opted_out'])
    .orderBy('k.crm_id')
    .limit(ROWS_PER_TRANSACTION)
    .execute();
  if (rows.length === 0) return [];
  const questions = rows.map(({ crm_id, opted_out_at, has_opted_out }) => ({
    id: newId(),
    crmId: crm_id,
    kind: OPT_OUT_KIND,
    batch,
    detail: has_opted_out === OBJECTS ? BY_OBJECTION : field,
    // The clock may have been changed. The question must not seem older than its mark.
    openedAt: Math.max(now, opted_out_at ?? 0),
  }));
  await openQuestions(trx, integrationId, questions);
  const ids = rows.map(({ crm_id }) => crm_id);
  for (const portion of inFilledBatches(ids)) {
    await trx
      .updateTable('kept_profiles')
      .set({ opted_out_at: now })
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', portion)
      .where('opted_out_at', 'is', null)
      .execute();
  }
  return ids;
}

async function readCount(query: {
  executeTakeFirst(): Promise<{ count: string | number | bigint } | undefined>;
}): Promise<number> {
  return Number((await query.executeTakeFirst())?.count ?? 0);
}
